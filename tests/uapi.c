/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints what uapi/ says; compiled against linux-libc-dev's headers it prints what the kernel says (tests/lint/uapi.t). */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <linux/bpf.h>
#include <linux/perf_event.h>

#define NUMBER(name) printf("%s %lld\n", #name, (long long)(name))
#define FIELD(type, field) printf("%s.%s %zu %zu\n", #type, #field, offsetof(type, field), sizeof(((type *)0)->field))
#define ATTR(field) FIELD(union bpf_attr, field)
#define EVENT(field) FIELD(struct perf_event_attr, field)
#define BIT(field) \
	do { \
		struct perf_event_attr attr; \
		memset(&attr, 0, sizeof(attr)); \
		attr.field = 1; \
		for (size_t i = 0; i < sizeof(attr); i++) { \
			if (((unsigned char *)&attr)[i]) \
				printf("%s: byte %zu, 0x%x\n", #field, i, ((unsigned char *)&attr)[i]); \
		} \
	} while (0)

static void perf(void)
{
	NUMBER(PERF_TYPE_HARDWARE); NUMBER(PERF_TYPE_SOFTWARE); NUMBER(PERF_TYPE_TRACEPOINT); NUMBER(PERF_TYPE_HW_CACHE);
	NUMBER(PERF_TYPE_RAW); NUMBER(PERF_TYPE_BREAKPOINT);
	NUMBER(PERF_COUNT_HW_CPU_CYCLES); NUMBER(PERF_COUNT_HW_INSTRUCTIONS); NUMBER(PERF_COUNT_HW_CACHE_REFERENCES);
	NUMBER(PERF_COUNT_HW_CACHE_MISSES); NUMBER(PERF_COUNT_HW_BRANCH_INSTRUCTIONS); NUMBER(PERF_COUNT_HW_BRANCH_MISSES);
	NUMBER(PERF_COUNT_HW_BUS_CYCLES); NUMBER(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	NUMBER(PERF_COUNT_HW_STALLED_CYCLES_BACKEND); NUMBER(PERF_COUNT_HW_REF_CPU_CYCLES);
	NUMBER(PERF_COUNT_SW_CPU_CLOCK); NUMBER(PERF_COUNT_SW_TASK_CLOCK); NUMBER(PERF_COUNT_SW_PAGE_FAULTS);
	NUMBER(PERF_COUNT_SW_CONTEXT_SWITCHES); NUMBER(PERF_COUNT_SW_CPU_MIGRATIONS); NUMBER(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	NUMBER(PERF_COUNT_SW_PAGE_FAULTS_MAJ); NUMBER(PERF_COUNT_SW_ALIGNMENT_FAULTS); NUMBER(PERF_COUNT_SW_EMULATION_FAULTS);
	NUMBER(PERF_COUNT_SW_DUMMY); NUMBER(PERF_COUNT_SW_BPF_OUTPUT); NUMBER(PERF_COUNT_SW_CGROUP_SWITCHES);
	NUMBER(PERF_FORMAT_TOTAL_TIME_ENABLED); NUMBER(PERF_FORMAT_TOTAL_TIME_RUNNING); NUMBER(PERF_FLAG_FD_CLOEXEC);
	NUMBER(PERF_EVENT_IOC_ENABLE); NUMBER(PERF_EVENT_IOC_DISABLE); NUMBER(PERF_EVENT_IOC_RESET);
	NUMBER(PERF_ATTR_SIZE_VER0); NUMBER(PERF_ATTR_SIZE_VER1);
	EVENT(type); EVENT(size); EVENT(config); EVENT(sample_period); EVENT(sample_type); EVENT(read_format);
	EVENT(wakeup_events); EVENT(bp_type); EVENT(config1); EVENT(config2); EVENT(branch_sample_type); EVENT(sample_regs_user);
	EVENT(sample_stack_user); EVENT(clockid); EVENT(sample_regs_intr); EVENT(aux_watermark); EVENT(sample_max_stack);
	EVENT(aux_sample_size); EVENT(sig_data);
#if defined(PERF_ATTR_SIZE_VER8) && !defined(NO_CONFIG3)
	NUMBER(PERF_ATTR_SIZE_VER8); EVENT(config3);
#endif
	BIT(disabled); BIT(inherit); BIT(pinned); BIT(exclusive); BIT(exclude_user); BIT(exclude_kernel); BIT(exclude_hv);
	BIT(exclude_idle); BIT(enable_on_exec); BIT(precise_ip); BIT(exclude_host); BIT(exclude_guest);
}

static void bpf_numbers(void)
{
	NUMBER(BPF_MAP_CREATE); NUMBER(BPF_MAP_LOOKUP_ELEM); NUMBER(BPF_MAP_UPDATE_ELEM); NUMBER(BPF_MAP_DELETE_ELEM);
	NUMBER(BPF_MAP_GET_NEXT_KEY); NUMBER(BPF_PROG_LOAD); NUMBER(BPF_OBJ_PIN); NUMBER(BPF_OBJ_GET); NUMBER(BPF_PROG_TEST_RUN);
	NUMBER(BPF_PROG_GET_NEXT_ID); NUMBER(BPF_MAP_GET_NEXT_ID); NUMBER(BPF_PROG_GET_FD_BY_ID); NUMBER(BPF_MAP_GET_FD_BY_ID);
	NUMBER(BPF_OBJ_GET_INFO_BY_FD); NUMBER(BPF_RAW_TRACEPOINT_OPEN); NUMBER(BPF_BTF_LOAD); NUMBER(BPF_MAP_FREEZE);
	NUMBER(BPF_LINK_GET_FD_BY_ID); NUMBER(BPF_LINK_GET_NEXT_ID); NUMBER(BPF_ENABLE_STATS); NUMBER(BPF_STATS_RUN_TIME);
	NUMBER(BPF_MAP_TYPE_HASH); NUMBER(BPF_MAP_TYPE_ARRAY); NUMBER(BPF_MAP_TYPE_PERF_EVENT_ARRAY); NUMBER(BPF_MAP_TYPE_PERCPU_ARRAY); NUMBER(BPF_MAP_TYPE_QUEUE); NUMBER(BPF_MAP_TYPE_ARRAY_OF_MAPS); NUMBER(BPF_MAP_TYPE_CGROUP_ARRAY); NUMBER(BPF_MAP_TYPE_LRU_HASH); NUMBER(BPF_MAP_LOOKUP_AND_DELETE_ELEM);
	NUMBER(BPF_PROG_TYPE_RAW_TRACEPOINT); NUMBER(BPF_PROG_TYPE_TRACING); NUMBER(BPF_TRACE_FEXIT); NUMBER(BPF_TRACE_FENTRY); NUMBER(BPF_BTF_GET_FD_BY_ID); NUMBER(BPF_LINK_TYPE_RAW_TRACEPOINT);
	NUMBER(BPF_ANY); NUMBER(BPF_NOEXIST); NUMBER(BPF_EXIST); NUMBER(BPF_F_RDONLY_PROG); NUMBER(BPF_F_PRESERVE_ELEMS);
	NUMBER(BPF_F_TEST_RUN_ON_CPU); NUMBER(BPF_F_CURRENT_CPU); NUMBER(BPF_OBJ_NAME_LEN); NUMBER(BPF_PSEUDO_MAP_FD);
	NUMBER(BPF_PSEUDO_MAP_VALUE); NUMBER(sizeof(struct bpf_insn)); NUMBER(sizeof(struct bpf_func_info));
}

static void bpf_attr(void)
{
	ATTR(map_type); ATTR(key_size); ATTR(value_size); ATTR(max_entries); ATTR(map_flags); ATTR(map_name); ATTR(inner_map_fd);
	ATTR(map_fd); ATTR(key); ATTR(value); ATTR(next_key); ATTR(flags);
	ATTR(prog_type); ATTR(insn_cnt); ATTR(insns); ATTR(license); ATTR(log_level); ATTR(log_size); ATTR(log_buf);
	ATTR(prog_flags); ATTR(prog_name); ATTR(expected_attach_type); ATTR(prog_btf_fd); ATTR(func_info_rec_size); ATTR(func_info);
	ATTR(func_info_cnt); ATTR(line_info_rec_size); ATTR(line_info); ATTR(line_info_cnt); ATTR(attach_btf_id); ATTR(attach_prog_fd);
	ATTR(pathname); ATTR(bpf_fd); ATTR(file_flags);
	ATTR(test.prog_fd); ATTR(test.retval); ATTR(test.ctx_in); ATTR(test.ctx_size_in); ATTR(test.flags); ATTR(test.cpu);
	ATTR(start_id); ATTR(prog_id); ATTR(map_id); ATTR(btf_id); ATTR(link_id); ATTR(next_id); ATTR(open_flags);
	ATTR(info.bpf_fd); ATTR(info.info_len); ATTR(info.info);
	ATTR(raw_tracepoint.name); ATTR(raw_tracepoint.prog_fd);
	ATTR(enable_stats.type); ATTR(btf); ATTR(btf_log_buf); ATTR(btf_size); ATTR(btf_log_size); ATTR(btf_log_level);
}

static void bpf_info(void)
{
	FIELD(struct bpf_insn, code); FIELD(struct bpf_insn, off); FIELD(struct bpf_insn, imm);
	FIELD(struct bpf_func_info, insn_off); FIELD(struct bpf_func_info, type_id);
	FIELD(struct bpf_prog_info, type); FIELD(struct bpf_prog_info, id); FIELD(struct bpf_prog_info, nr_map_ids);
	FIELD(struct bpf_prog_info, map_ids); FIELD(struct bpf_prog_info, name); FIELD(struct bpf_prog_info, btf_id);
	FIELD(struct bpf_prog_info, func_info_rec_size); FIELD(struct bpf_prog_info, func_info); FIELD(struct bpf_prog_info, nr_func_info); FIELD(struct bpf_prog_info, run_time_ns); FIELD(struct bpf_prog_info, run_cnt);
	FIELD(struct bpf_prog_info, jited_prog_len); FIELD(struct bpf_prog_info, recursion_misses);
	FIELD(struct bpf_btf_info, btf); FIELD(struct bpf_btf_info, btf_size); FIELD(struct bpf_btf_info, id);
	FIELD(struct bpf_map_info, type); FIELD(struct bpf_map_info, id); FIELD(struct bpf_map_info, key_size);
	FIELD(struct bpf_map_info, value_size); FIELD(struct bpf_map_info, max_entries); FIELD(struct bpf_map_info, map_flags);
	FIELD(struct bpf_map_info, name);
	FIELD(struct bpf_link_info, type); FIELD(struct bpf_link_info, id); FIELD(struct bpf_link_info, prog_id);
	FIELD(struct bpf_link_info, raw_tracepoint.tp_name); FIELD(struct bpf_link_info, raw_tracepoint.tp_name_len);
}

int main(void)
{
	perf();
	bpf_numbers();
	bpf_attr();
	bpf_info();
	return 0;
}
