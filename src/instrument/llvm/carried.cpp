// Positions in bitcode (link_time.h). A table is a list of varints: the key of the function; the
// number of loops whose counts were moved out of them, and for each the loop around it (from 1; 0:
// none) and its counters (loop_table.h); the number of bytes that crash/carried.h describes, and
// these; then for each row block, call, lines, the loop that it is in (from 1; 0: none), and flags: 1
// for a call, 2 for one before which the ends of activations were counted. A loop with code of several
// functions stands in the table of each.
#include "instrument/crash/carried.h"
#include "instrument/llvm/carried.hpp"
#include "instrument/llvm/shim.h"
#include "instrument/llvm/versions.hpp"
#include "instrument/place/link_time.h"
#include "instrument/place/positions.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace llvm;

static const char TableName[] = "<cotree>";

static const DIFile *tableOf(const DILocation *at)
{
    auto *carrier = dyn_cast<DILexicalBlockFile>(at->getScope());
    return carrier && carrier->getFile() && carrier->getFile()->getFilename() == TableName
               ? carrier->getFile()
               : nullptr;
}

namespace
{
class Packer
{
    const position_table &Positions;
    LLVMContext &Context;
    std::vector<DIFile *> FileOf; // by number - 1
    std::vector<uint32_t> RowOf;  // by number - 1
    DenseMap<const DILocation *, const DILocation *> Packed;

    struct Table {
        std::string Rows;
        uint32_t RowCount = 0;
        std::set<uint32_t> Loops; // by their numbers in the unit: outer loops come after inner ones

        uint32_t loop(uint32_t number) const
        {
            return number ? uint32_t(std::distance(Loops.begin(), Loops.find(number))) + 1 : 0;
        }
    };

    static std::string heading(uint64_t key, const Table &table, const loop_table &loops,
                               const crash_table &crash)
    {
        std::string bytes;
        raw_string_ostream out(bytes);
        encodeULEB128(key, out);
        encodeULEB128(table.Loops.size(), out);
        for (uint32_t number : table.Loops) {
            const moved_loop &loop = loops.items[number - 1];
            encodeULEB128(table.loop(loop.outer), out);
            encodeULEB128(loop.counters.count, out);
            for (size_t i = 0; i < loop.counters.count; i++)
                for (uint64_t field : {loop.counters.items[i].key, loop.counters.items[i].counter,
                                       loop.counters.items[i].most})
                    encodeULEB128(field, out);
        }
        size_t length;
        uint8_t *history = crash_carry(&crash, key, &length);
        encodeULEB128(length, out);
        out.write(reinterpret_cast<const char *>(history), length);
        free(history);
        return out.str();
    }

  public:
    Packer(const position_table &positions, const crash_table &crash, LLVMContext &context)
        : Positions(positions), Context(context)
    {
        uint32_t count = uint32_t(positions.positions.count);
        std::map<uint64_t, Table> tables; // by key
        FileOf.resize(count);
        RowOf.resize(count);
        for (uint32_t number = 1; number <= count; number++) {
            const position &p = *position_at(&positions, number);
            for (uint32_t loop = p.loop; loop; loop = positions.loops.items[loop - 1].outer)
                tables[p.key].Loops.insert(loop);
        }
        for (uint32_t number = 1; number <= count; number++) {
            const position &p = *position_at(&positions, number);
            Table &table = tables[p.key];
            raw_string_ostream out(table.Rows);
            for (uint32_t field :
                 {p.block, p.call, p.lines, table.loop(p.loop), (p.is_call ? 1u : 0u) | (p.ended ? 2u : 0u)})
                encodeULEB128(field, out);
            RowOf[number - 1] = ++table.RowCount;
        }
        std::map<uint64_t, DIFile *> files;
        for (auto &table : tables)
            files[table.first] =
                DIFile::get(Context, TableName,
                            heading(table.first, table.second, positions.loops, crash) + table.second.Rows);
        for (uint32_t number = 1; number <= count; number++)
            FileOf[number - 1] = files[position_at(&positions, number)->key];
    }

    const DILocation *pack(const DILocation *at)
    {
        if (!at)
            return nullptr;
        auto found = Packed.find(at);
        if (found != Packed.end())
            return found->second;
        const DILocation *outer = pack(at->getInlinedAt()), *result = at;
        unsigned number = at->getDiscriminator();
        bool ours = position_at(&Positions, number);
        if (ours || outer != at->getInlinedAt()) {
            DILocalScope *scope = at->getScope();
            if (ours)
                scope = DILexicalBlockFile::get(Context, cast<DILexicalBlockFile>(scope)->getScope(),
                                                FileOf[number - 1], RowOf[number - 1]);
            result = versions::rescoped(at, scope, outer);
        }
        return Packed[at] = result;
    }
};
} // namespace

void carried_pack(LLVMModuleRef module, const position_table *t, const crash_table *crash)
{
    Packer packer(*t, *crash, unwrap(module)->getContext());
    for (Function &function : *unwrap(module))
        for (Instruction &instruction : instructions(function))
            versions::relocate(instruction, [&](const DILocation *at) { return packer.pack(at); });
}

// A table without rows: the discriminator is the number of the position itself.
DIFile *CarriedPositions::here(const position_table &positions, LLVMContext &context)
{
    return positions.source == POSITIONS_UNPACKED ? DIFile::get(context, TableName, "") : nullptr;
}

namespace
{
class Unpacker
{
    const position_table &Positions;
    LLVMContext &Context;
    CarriedPositions Carried;
    DenseMap<const DILocation *, const DILocation *> Unpacked;

  public:
    Unpacker(position_table &positions, crash_table &crash, LLVMContext &context)
        : Positions(positions), Context(context), Carried(positions, &crash)
    {
    }

    const DILocation *unpack(const DILocation *at)
    {
        if (!at)
            return nullptr;
        auto found = Unpacked.find(at);
        if (found != Unpacked.end())
            return found->second;
        const DILocation *outer = unpack(at->getInlinedAt()), *result = at;
        const DIFile *table = tableOf(at);
        bool ours = table && !table->getDirectory().empty();
        if (ours || outer != at->getInlinedAt()) {
            DILocalScope *scope = at->getScope();
            if (ours) {
                uint32_t number = Carried.numberOf(at);
                scope = DILexicalBlockFile::get(Context, cast<DILexicalBlockFile>(scope)->getScope(),
                                                CarriedPositions::here(Positions, Context), number);
            }
            result = versions::rescoped(at, scope, outer);
        }
        return Unpacked[at] = result;
    }
};
} // namespace

void carried_unpack(LLVMModuleRef module, position_table *t, crash_table *crash)
{
    bool any = false;
    for (Function &function : *unwrap(module))
        for (Instruction &instruction : instructions(function))
            for (const DILocation *at = instruction.getDebugLoc().get(); at && !any; at = at->getInlinedAt())
                any = tableOf(at);
    if (!any || t->source == POSITIONS_MARKED)
        return;
    t->source = POSITIONS_UNPACKED;
    Unpacker unpacker(*t, *crash, unwrap(module)->getContext());
    for (Function &function : *unwrap(module))
        for (Instruction &instruction : instructions(function))
            versions::relocate(instruction, [&](const DILocation *at) { return unpacker.unpack(at); });
}

static bool isSpecial(unsigned number)
{
    return number == POSITION_PASSED || number == POSITION_UNCOUNTED;
}

bool CarriedPositions::isMarked(const position_table &positions, const DILocation *at)
{
    unsigned number = at->getDiscriminator();
    return number && (positions.source == POSITIONS_MARKED || isSpecial(number) || tableOf(at));
}

uint32_t CarriedPositions::numberOf(const DILocation *at)
{
    unsigned number = at->getDiscriminator();
    const DIFile *file = tableOf(at);
    if (!number || isSpecial(number) || !file || file->getDirectory().empty())
        return isMarked(Positions, at) ? number : 0;
    auto added = Tables.try_emplace(file);
    std::vector<uint32_t> &rows = added.first->second;
    if (added.second) {
        StringRef bytes = file->getDirectory();
        const uint8_t *next = bytes.bytes_begin(), *end = bytes.bytes_end();
        auto field = [&]() -> uint64_t {
            unsigned length = 0;
            uint64_t value = next < end ? decodeULEB128(next, &length, end) : 0;
            next += length;
            return value;
        };
        uint64_t key = field();
        auto among = [](const std::vector<uint32_t> &all, uint64_t at) {
            return at < all.size() ? all[at] : 0;
        };
        std::vector<uint32_t> loops(std::min<uint64_t>(field(), bytes.size()) + 1, 0); // [0]: none
        for (size_t loop = 1; loop < loops.size(); loop++)
            loops[loop] = loop_table_add(&Positions.loops);
        for (size_t loop = 1; loop < loops.size(); loop++) {
            if (uint32_t outer = among(loops, field()))
                loop_table_nest(&Positions.loops, loops[loop], outer);
            for (uint64_t counters = field(); counters && next < end; counters--) {
                uint64_t counted = field(), counter = field(), most = field();
                loop_table_add_counter(&Positions.loops, loops[loop], {counted, counter, most});
            }
        }
        uint64_t known = field(), left = next < end ? uint64_t(end - next) : 0;
        if (known > left)
            known = left;
        if (Crash)
            crash_take(Crash, key, next, known);
        next += known;
        while (next < end) {
            position p = {};
            p.key = key;
            p.block = field();
            p.call = field();
            p.lines = field();
            p.loop = among(loops, field());
            uint64_t flags = field();
            p.is_call = flags & 1;
            p.ended = flags & 2;
            rows.push_back(position_add(&Positions, p));
        }
    }
    return number <= rows.size() ? rows[number - 1] : 0;
}
