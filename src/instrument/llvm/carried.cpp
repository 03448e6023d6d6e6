// Positions in bitcode (link_time.h). A table is a list of varints: the key of the function, the
// number of bytes that crash/carried.h describes, and these; then for each row block, call, lines, and
// flags: 1 for a call, 2 for one before which the ends of activations were counted.
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

  public:
    Packer(const position_table &positions, const crash_table &crash, LLVMContext &context)
        : Positions(positions), Context(context)
    {
        uint32_t count = uint32_t(positions.positions.count);
        std::map<uint64_t, std::pair<std::string, uint32_t>> tables; // bytes, rows
        FileOf.resize(count);
        RowOf.resize(count);
        for (uint32_t number = 1; number <= count; number++) {
            const position &p = *position_at(&positions, number);
            auto &[bytes, rows] = tables[p.key];
            raw_string_ostream out(bytes);
            if (!rows) {
                size_t length;
                uint8_t *history = crash_carry(&crash, p.key, &length);
                encodeULEB128(p.key, out);
                encodeULEB128(length, out);
                out.write(reinterpret_cast<const char *>(history), length);
                free(history);
            }
            for (uint32_t field : {p.block, p.call, p.lines, (p.is_call ? 1u : 0u) | (p.ended ? 2u : 0u)})
                encodeULEB128(field, out);
            RowOf[number - 1] = ++rows;
        }
        std::map<uint64_t, DIFile *> files;
        for (auto &table : tables)
            files[table.first] = DIFile::get(Context, TableName, table.second.first);
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
        uint64_t key = field(), known = field(), left = next < end ? uint64_t(end - next) : 0;
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
            uint64_t flags = field();
            p.is_call = flags & 1;
            p.ended = flags & 2;
            rows.push_back(position_add(&Positions, p));
        }
    }
    return number <= rows.size() ? rows[number - 1] : 0;
}
