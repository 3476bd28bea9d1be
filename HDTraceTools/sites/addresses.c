/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Addresses in programs, by libdw of elfutils.
 */
#include "config.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceTools/sites/addresses.h"
#include "HDTraceTools/base/plainfile.h"
#include "common/hex.h"
#include "common/library.h"

/** Functions are not deeper in others. */
#define FUNCTIONS_MAX 16
#define DEBUG_DIRECTORY "/usr/lib/debug"

#define FUNCTIONS(X)                    \
	X(dwarf_attr)                   \
	X(dwarf_attr_integrate)         \
	X(dwarf_child)                  \
	X(dwarf_diename)                \
	X(dwarf_filesrc)                \
	X(dwarf_formstring)             \
	X(dwarf_formudata)              \
	X(dwarf_getscopes)              \
	X(dwarf_getscopes_die)          \
	X(dwarf_getsrc_die)             \
	X(dwarf_getsrcfiles)            \
	X(dwarf_haspc)                  \
	X(dwarf_lineno)                 \
	X(dwarf_linesrc)                \
	X(dwarf_siblingof)              \
	X(dwarf_tag)                    \
	X(dwelf_elf_gnu_build_id)       \
	X(dwfl_begin)                   \
	X(dwfl_build_id_find_elf)       \
	X(dwfl_end)                     \
	X(dwfl_errmsg)                  \
	X(dwfl_module_addrdie)          \
	X(dwfl_module_addrinfo)         \
	X(dwfl_module_nextcu)           \
	X(dwfl_report_begin)            \
	X(dwfl_report_elf)              \
	X(dwfl_report_end)              \
	X(dwfl_standard_find_debuginfo) \
	X(elf_begin)                    \
	X(elf_end)                      \
	X(elf_kind)                     \
	X(elf_version)

static struct dwApi {
	FUNCTIONS(HD_LIBRARY_FUNCTION)
} api;

#define SYMBOL(name) HD_LIBRARY_SYMBOL(struct dwApi, name)
static const struct hdSymbol symbols[] = { FUNCTIONS(SYMBOL) HD_LIBRARY_END };

static struct hdLibrary library = {
	.what = "libdw",
	.file = LIBDW_SONAME,
	.package = "libdw1",
	.symbols = symbols,
	.api = &api,
};

struct addresses {
	GPtrArray *directories; /**< Of debuggers. */
	char *searched;         /**< The same, as libdwfl wants it. */
	Dwfl_Callbacks callbacks;
	GHashTable *objects; /**< Path and build id to struct object. */
	GHashTable *found;   /**< These and an address to addressFound. */
	GArray *problems;    /**< struct addressProblem */
	bool isMissing;      /**< libdw, which was said. */
};

/** A program or shared library. */
struct object {
	Dwfl *dwfl; /**< NULL: it cannot be used. */
	Dwfl_Module *module;
};

/* ---- Files ------------------------------------------------------------- */

static char *buildIdOf(int fd)
{
	Elf *elf = api.elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *bytes = NULL;
	ssize_t length;
	char *text;

	if (!elf)
		return NULL;
	if (api.elf_kind(elf) != ELF_K_ELF) {
		api.elf_end(elf);
		return NULL;
	}
	length = api.dwelf_elf_gnu_build_id(elf, &bytes);
	if (length < 0)
		length = 0;
	text = g_malloc(2 * (size_t)length + 1);
	*hdHexPut(text, bytes, (size_t)length) = '\0';
	api.elf_end(elf);
	return text;
}

/** Open a file if it has the build id; else -1, and why in @p why, which is to
 *  be freed. */
static int openAt(const char *path, const char *buildId, char **why)
{
	int fd = plainFileOpen(path, NULL);
	char *has;

	if (fd < 0) {
		*why = g_strdup(plainFileError(fd));
		return -1;
	}
	has = buildIdOf(fd);
	if (has && strcmp(has, buildId) == 0) {
		g_free(has);
		return fd;
	}
	if (!has)
		*why = g_strdup("not a program");
	else
		*why = g_strdup_printf(
			"not the traced file: its build id is %s, "
			"expected %s",
			*has ? has : "missing", *buildId ? buildId : "missing");
	g_free(has);
	close(fd);
	return -1;
}

/** Open what directories of debuggers have; its path is to be freed. */
static int openDebug(const struct addresses *self, const char *buildId,
		     char **path)
{
	static const char *const ends[] = { "", ".debug" };

	if (strlen(buildId) < 3)
		return -1;
	for (guint i = 0; i < self->directories->len; i++) {
		for (size_t k = 0; k < G_N_ELEMENTS(ends); k++) {
			char *why = NULL;
			int fd;

			*path = g_strdup_printf(
				"%s/.build-id/%.2s/%s%s",
				(const char *)self->directories->pdata[i],
				buildId, buildId + 2, ends[k]);
			fd = openAt(*path, buildId, &why);
			g_free(why);
			if (fd >= 0)
				return fd;
			g_free(*path);
			*path = NULL;
		}
	}
	return -1;
}

/** Give a file to libdwfl, which closes it. */
static void addressesOpenObject(struct addresses *self, struct object *object,
				const char *path, int fd)
{
	object->dwfl = api.dwfl_begin(&self->callbacks);
	if (!object->dwfl) {
		close(fd);
		return;
	}
	api.dwfl_report_begin(object->dwfl);
	object->module =
		api.dwfl_report_elf(object->dwfl, path, path, fd, 0, true);
	api.dwfl_report_end(object->dwfl, NULL, NULL);
	if (!object->module) {
		close(fd);
		api.dwfl_end(object->dwfl);
		object->dwfl = NULL;
	}
}

static void addProblem(struct addresses *self, const char *path, char *text)
{
	struct addressProblem problem = { g_strdup(path), text };

	g_array_append_val(self->problems, problem);
}

static void problemClear(void *data)
{
	struct addressProblem *problem = data;

	g_free(problem->path);
	g_free(problem->text);
}

/** Whether libdw is there; who asks first says why it is not. */
static bool hasLibrary(struct addresses *self)
{
	const char *missing;

	if (self->callbacks.find_elf || self->isMissing)
		return !self->isMissing;
	missing = hdLibraryMissing(&library);
	if (missing) {
		self->isMissing = true;
		addProblem(
			self, NULL,
			g_strdup_printf(
				"files and lines of call sites are unknown: %s",
				missing));
		return false;
	}
	api.elf_version(EV_CURRENT);
	self->callbacks = (Dwfl_Callbacks){
		.find_elf = api.dwfl_build_id_find_elf,
		.find_debuginfo = api.dwfl_standard_find_debuginfo,
		.debuginfo_path = &self->searched,
	};
	return true;
}

static struct object *addressesObjectOf(struct addresses *self,
					const char *path, const char *buildId)
{
	char *key = g_strdup_printf("%s %s", buildId, path);
	struct object *object = g_hash_table_lookup(self->objects, key);
	char *why = NULL, *other = NULL;
	int fd;

	if (object) {
		g_free(key);
		return object;
	}
	object = g_new0(struct object, 1);
	g_hash_table_insert(self->objects, key, object);
	fd = openAt(path, buildId, &why);
	if (fd < 0)
		fd = openDebug(self, buildId, &other);
	if (fd >= 0)
		addressesOpenObject(self, object, other ? other : path, fd);
	if (!object->dwfl && !why)
		why = g_strdup(api.dwfl_errmsg(-1));
	if (object->dwfl)
		g_free(why);
	else
		addProblem(self, path, why);
	g_free(other);
	return object;
}

/* ---- Places ------------------------------------------------------------ */

static void addressesPlaceClear(void *data)
{
	struct addressPlace *place = data;

	g_free(place->function);
	g_free(place->file);
}

static void foundFree(void *data)
{
	struct addressFound *found = data;

	g_array_unref(found->places);
	g_free(found);
}

static void addPlace(struct addressFound *found, const char *function,
		     const char *directory, const char *file, int line)
{
	struct addressPlace place = { .function = g_strdup(function) };

	if (file && *file) {
		place.file = directory && *file != '/'
				     ? g_build_filename(directory, file, NULL)
				     : g_strdup(file);
		place.line = line;
	}
	g_array_append_val(found->places, place);
}

/** A number of the DIE or of what it stands for; -1 if there is none. */
static int addressesNumberOf(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!api.dwarf_attr_integrate(die, name, &attribute) ||
	    api.dwarf_formudata(&attribute, &value) != 0 || value > INT32_MAX)
		return -1;
	return (int)value;
}

/** The file that a number of a compilation unit stands for. */
static const char *addressesFileOf(Dwarf_Die *unit, int number)
{
	Dwarf_Files *files;
	size_t count;

	/* From DWARF 5 on, 0 is a file. */
	if (number < 0 || api.dwarf_getsrcfiles(unit, &files, &count) != 0 ||
	    (size_t)number >= count)
		return NULL;
	return api.dwarf_filesrc(files, (size_t)number, NULL, NULL);
}

static const char *directoryOf(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return api.dwarf_formstring(
		api.dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

/** Where an instruction stands is known; go through the functions that it is
 * in: each inlined one says where it was called. */
static void addFunctions(struct addressFound *found, Dwarf_Die *unit,
			 Dwarf_Die *scopes, int count, const char *file,
			 int line)
{
	const char *directory = directoryOf(unit);

	for (int i = 0; i < count; i++) {
		int tag = api.dwarf_tag(&scopes[i]);
		const char *name;

		if (tag != DW_TAG_subprogram &&
		    tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_entry_point)
			continue;
		name = api.dwarf_diename(&scopes[i]);
		addPlace(found, name, directory, file, line);
		if (tag != DW_TAG_inlined_subroutine)
			return;
		file = addressesFileOf(
			unit, addressesNumberOf(&scopes[i], DW_AT_call_file));
		line = MAX(addressesNumberOf(&scopes[i], DW_AT_call_line), 0);
	}
}

/** Find the function among what lies in a DIE. Compilers put functions into
 *  others that are elsewhere in memory, as Fortran's that a program contains:
 *  there dwarf_getscopes() does not look. */
static bool findInside(Dwarf_Die *outer, Dwarf_Addr address, unsigned int depth,
		       Dwarf_Die *function)
{
	Dwarf_Die die;
	int more = depth < FUNCTIONS_MAX ? api.dwarf_child(outer, &die) : 1;

	for (; more == 0; more = api.dwarf_siblingof(&die, &die)) {
		int tag = api.dwarf_tag(&die);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_module &&
		    tag != DW_TAG_namespace)
			continue;
		if (findInside(&die, address, depth + 1, function))
			return true;
		if (tag == DW_TAG_subprogram &&
		    api.dwarf_haspc(&die, address) == 1) {
			*function = die;
			return true;
		}
	}
	return false;
}

/** Find the compilation unit of an address. Clang writes no table of which are
 *  where, so all are asked then. */
static Dwarf_Die *findUnit(Dwfl_Module *module, uint64_t address,
			   Dwarf_Addr *bias)
{
	Dwarf_Die *unit = api.dwfl_module_addrdie(module, address, bias);

	if (unit)
		return unit;
	while ((unit = api.dwfl_module_nextcu(module, unit, bias)) != NULL &&
	       api.dwarf_haspc(unit, address - *bias) != 1)
		;
	return unit;
}

/** What debug information says; false if it says nothing. */
static bool findLines(struct addressFound *found, Dwfl_Module *module,
		      uint64_t address)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = findUnit(module, address, &bias);
	Dwarf_Line *source =
		unit ? api.dwarf_getsrc_die(unit, address - bias) : NULL;
	Dwarf_Die *inner = NULL, *scopes = NULL, die;
	const char *file = NULL;
	int line = 0, count;

	if (!unit)
		return false;
	if (source && api.dwarf_lineno(source, &line) == 0)
		file = api.dwarf_linesrc(source, NULL, NULL);
	count = api.dwarf_getscopes(unit, address - bias, &inner);
	if (count > 0) {
		die = inner[0];
		count = api.dwarf_getscopes_die(&die, &scopes);
	}
	if (count > 0)
		addFunctions(found, unit, scopes, count, file, line);
	g_clear_pointer(&inner, free);
	g_clear_pointer(&scopes, free);
	if (!found->places->len && findInside(unit, address - bias, 0, &die))
		addPlace(found, api.dwarf_diename(&die), directoryOf(unit),
			 file, line);
	if (!found->places->len && file)
		addPlace(found, NULL, directoryOf(unit), file, line);
	return found->places->len > 0;
}

/** What the table of symbols says: stripped programs have that of what they
 *  share, at least. What lies behind a symbol's end is not of it. */
static void findSymbol(struct addressFound *found, Dwfl_Module *module,
		       uint64_t address)
{
	GElf_Sym symbol;
	GElf_Off offset;
	const char *name = api.dwfl_module_addrinfo(module, address, &offset,
						    &symbol, NULL, NULL, NULL);

	if (!name || offset >= symbol.st_size)
		return;
	addPlace(found, name, NULL, NULL, 0);
	found->offset = offset;
}

const struct addressFound *addressesFind(struct addresses *self,
					 const char *path, const char *buildId,
					 uint64_t address)
{
	char *key = g_strdup_printf("%s %s %" PRIx64, buildId, path, address);
	struct addressFound *found = g_hash_table_lookup(self->found, key);
	struct object *object;

	if (found) {
		g_free(key);
		return found;
	}
	found = g_new0(struct addressFound, 1);
	found->places = g_array_new(FALSE, FALSE, sizeof(struct addressPlace));
	g_array_set_clear_func(found->places, addressesPlaceClear);
	g_hash_table_insert(self->found, key, found);
	if (!hasLibrary(self))
		return found;
	object = addressesObjectOf(self, path, buildId);
	if (object->dwfl && !findLines(found, object->module, address))
		findSymbol(found, object->module, address);
	return found;
}

/* ---- All of them ------------------------------------------------------- */

static void addressesFreeObject(void *data)
{
	struct object *object = data;

	if (object->dwfl)
		api.dwfl_end(object->dwfl);
	g_free(object);
}

struct addresses *addressesNew(void)
{
	struct addresses *self = g_new0(struct addresses, 1);
	const char *path = g_getenv("HDTRACE_DEBUG_PATH");
	char **parts = g_strsplit(path ? path : "", ":", -1);

	self->directories = g_ptr_array_new_with_free_func(g_free);
	for (char **part = parts; *part; part++)
		if (**part)
			g_ptr_array_add(self->directories, g_strdup(*part));
	g_ptr_array_add(self->directories, g_strdup(DEBUG_DIRECTORY));
	g_strfreev(parts);
	/* "-": the file that a program names is right by its build id. */
	self->searched =
		g_strdup_printf("-:.debug%s%s:" DEBUG_DIRECTORY,
				path && *path ? ":" : "", path ? path : "");
	self->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      addressesFreeObject);
	self->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					    foundFree);
	self->problems =
		g_array_new(FALSE, FALSE, sizeof(struct addressProblem));
	g_array_set_clear_func(self->problems, problemClear);
	return self;
}

void addressesFree(struct addresses *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->found);
	g_hash_table_destroy(self->objects);
	g_array_unref(self->problems);
	g_ptr_array_unref(self->directories);
	g_free(self->searched);
	g_free(self);
}

const GArray *addressesProblems(const struct addresses *self)
{
	return self->problems;
}
