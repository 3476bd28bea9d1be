// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of hdtrace view on projects that are being written: a program that writes
// one, and the server.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A program that writes a project (write-live.c). */
export class Writer {
  constructor(project, environment = {}) {
    this.process = spawn(process.env.WRITER, [project], {
      env: { ...process.env, HDTRACE_FLUSH_MS: "50", ...environment },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.waiting = [];
    this.ended = new Promise((resolve) => {
      this.process.on("exit", resolve);
    });
    createInterface({ input: this.process.stdout }).on("line", (line) =>
      this.waiting.shift()?.(BigInt(line)),
    );
  }

  /** Do commands, one after the other; returns when the last one was done, in ns since
   *  1970. */
  async write(...commands) {
    let time = null;

    for (const command of commands) {
      const answer = new Promise((resolve) => {
        this.waiting.push(resolve);
      });
      const isOver = this.ended.then(() => null);

      this.process.stdin.write(`${command}\n`);
      time = await Promise.race([answer, isOver]);
      if (time === null) throw new Error(`${command}: the writer has ended`);
    }
    return time;
  }

  /** End it as a signal does. */
  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }

  /** End all files, and the program. */
  async close() {
    await this.write("close");
    this.process.stdin.end();
    await this.ended;
  }
}

/** hdtrace view of projects. */
export class Server {
  isStopped = false;

  static async start(...projects) {
    const self = new Server();

    self.process = spawn(process.env.HDTRACE, ["view", "--no-browser", ...projects], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    self.ended = new Promise((resolve) => {
      self.process.on("exit", (status, signal) => {
        resolve(status);
        /* Without it, each step would wait for its time limit. */
        if (self.address && !self.isStopped) {
          console.log(`Bail out! hdtrace view has ended: ${status ?? signal}`);
          process.exit(1);
        }
      });
    });
    self.address = await new Promise((resolve, reject) => {
      createInterface({ input: self.process.stdout }).on("line", resolve);
      self.ended.then((status) => reject(new Error(`hdtrace view: ${status}`)));
    });
    return self;
  }

  /** End it; returns its exit status. */
  stop() {
    this.isStopped = true;
    this.process.kill("SIGTERM");
    return this.ended;
  }
}
