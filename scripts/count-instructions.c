/* A plugin for QEMU (interface version 1) that keeps the number of instructions that the program has executed in a file of eight
 * octets, where it can be read at any time: -plugin count-instructions.so,counter=NAME
 *
 * The declarations are those of qemu-plugin.h, which distributions do not install. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), enum qemu_plugin_cb_flags,
                                                 void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

EXPORT int qemu_plugin_version = 1;

static uint64_t *executed;

static void count(unsigned processor, void *instructions)
{
    (void)processor;
    __atomic_fetch_add(executed, (uint64_t)(uintptr_t)instructions, __ATOMIC_RELAXED);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(block, count, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *information, int count_of_arguments, char **arguments)
{
    (void)information;
    static const char name[] = "counter=";
    if (count_of_arguments != 1 || strncmp(arguments[0], name, sizeof name - 1) != 0)
        return 1;
    int descriptor = open(arguments[0] + sizeof name - 1, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0 || ftruncate(descriptor, sizeof *executed) != 0)
        return 1;
    executed = mmap(NULL, sizeof *executed, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (executed == MAP_FAILED)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
