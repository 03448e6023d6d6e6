# In gdb, with a core of a program that was compiled with -fcotree=crash: `source cotree.gdb`. Then
# `cotree-history` tells how control came to where the selected frame stands; its words are options
# of `cotree crash` (`cotree-history --source`). $COTREE_COMMAND is the command, if it is not
# `cotree`.
python
import os
import re
import subprocess

class CotreeHistory(gdb.Command):
    """How control came to where the selected frame stands: cotree-history [OPTION...]"""

    def __init__(self):
        super().__init__("cotree-history", gdb.COMMAND_STACK)

    def invoke(self, words, from_terminal):
        core = re.search(r"core dump file:\s*`(.*)', file type", gdb.execute("info target", to_string=True))
        program = gdb.current_progspace().filename
        if not core or not program or not gdb.selected_thread():
            raise gdb.GdbError("cotree-history: a program and its core are needed (gdb PROG CORE)")
        pid, thread, _ = gdb.selected_thread().ptid
        command = [os.environ.get("COTREE_COMMAND", "cotree"), "crash", "--no-pager",
                   "--thread=%d" % (thread or pid), "--frame=%d" % gdb.selected_frame().level()]
        try:
            told = subprocess.run(command + gdb.string_to_argv(words) + [program, core.group(1)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        except OSError as error:
            raise gdb.GdbError("cotree-history: %s: %s" % (command[0], error.strerror))
        gdb.write(told.stdout)

CotreeHistory()
end
