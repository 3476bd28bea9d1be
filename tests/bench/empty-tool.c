/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tool of OpenMP's that is told all that libhdOmp is told, and does nothing.
 */
#include HEADER

static void nothing(void)
{
}

static int initialize(ompt_function_lookup_t lookup, int device,
		      ompt_data_t *data)
{
	static const ompt_callbacks_t asked[] = {
		ompt_callback_thread_end,
		ompt_callback_parallel_begin,
		ompt_callback_parallel_end,
		ompt_callback_implicit_task,
		ompt_callback_work,
		ompt_callback_sync_region_wait,
		ompt_callback_task_create,
		ompt_callback_task_schedule,
		ompt_callback_task_dependence,
		ompt_callback_mutex_acquire,
		ompt_callback_mutex_acquired,
	};
	ompt_set_callback_t set =
		(ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device;
	(void)data;
	for (unsigned int i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		set(asked[i], (ompt_callback_t)nothing);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version,
					  const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize,
						   finalize,
						   { 0 } };

	(void)version;
	(void)runtime;
	return &result;
}
