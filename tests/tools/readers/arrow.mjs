// SPDX-License-Identifier: LGPL-2.1-or-later
// arrow.mjs MODULES PACKAGE FILE...: prints files of Arrow as arrowfile.py does, read by a
// package of npm: apache-arrow, or nodejs-polars, which shows no metadata.
import fs from 'node:fs';
import {createRequire} from 'node:module';

const [modules, name, ...files] = process.argv.slice(2);
const library = createRequire(`${fs.realpathSync(modules)}/`)(name);
const bits = new DataView(new ArrayBuffer(8));

function double(value) {
	if (Number.isNaN(value))
		return 'NaN';
	bits.setFloat64(0, value);
	return bits.getBigUint64(0).toString(16).padStart(16, '0');
}

const print = value => process.stdout.write(`${JSON.stringify(value)}\n`);
const byName = (a, b) => (a[0] < b[0] ? -1 : 1);

const formats = {
	Int32: 'i', Int64: 'l', Uint32: 'I', Uint64: 'L', Float32: 'f', Float64: 'g',
	Utf8: 'u', 'Timestamp<NANOSECOND, UTC>': 'tsn:UTC',
};

function readArrow(file) {
	const table = library.tableFromIPC(fs.readFileSync(file));
	const kinds = table.schema.fields.map(field => formats[String(field.type)]);

	print(table.schema.fields.map((field, i) =>
		[field.name, kinds[i], [...field.metadata].sort(byName)]));
	print([...table.schema.metadata].sort(byName));
	for (const batch of table.batches) {
		const columns = kinds.map((kind, i) => {
			const vector = batch.getChildAt(i);
			// get() makes dates of times, which have milliseconds.
			const raw = kind === 'tsn:UTC' ? vector.data[0].values : null;

			return row => {
				const value = vector.get(row);

				if (value === null || kind === 'u')
					return value;
				if (raw)
					return String(raw[row]);
				return 'fg'.includes(kind) ? double(value) : String(value);
			};
		});

		for (let row = 0; row < batch.numRows; row++)
			print(columns.map(get => get(row)));
	}
}

function readPolars(file) {
	const frame = library.readIPC(fs.readFileSync(file));
	const columns = frame.columns.map(name => {
		const series = frame.getColumn(name);
		const type = String(series.dtype);

		if (type.includes('Float'))
			return series.cast(library.Float64).toArray()
				.map(value => (value === null ? value : double(value)));
		if (type.includes('Datetime'))
			return series.cast(library.Int64).cast(library.Utf8).toArray();
		return series.cast(library.Utf8).toArray();
	});

	for (let row = 0; row < frame.height; row++)
		print(columns.map(column => column[row]));
}

for (const file of files)
	(name === 'apache-arrow' ? readArrow : readPolars)(file);
