// Which counter a marker of a path has is a sum of numbers that conditions choose: `c ? 6 : 8`, a
// sign that is shifted down. It is computed for each way in which the conditions may hold. Some ways
// may be impossible, as `x < 0` where `x > 255` holds: nothing is known of the counter then, and what
// is no counter of the array is never chosen.
#include "instrument/llvm/counter_choice.hpp"
#include "format/counters.h"
#include "instrument/llvm/shim.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

// Each condition may double the counters, and each counter but one needs a variable.
static constexpr unsigned MOST_CONDITIONS = 3, MOST_COUNTERS = 4;

static bool isSign(Value *value, bool &spread)
{
    Type *type = value->getType();
    unsigned width = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
    spread = width && match(value, m_AShr(m_Value(), m_SpecificInt(width - 1))); // in all bits
    return spread || (width && match(value, m_LShr(m_Value(), m_SpecificInt(width - 1))));
}

// The value if the conditions hold that `holding` has bits for, when it depends on nothing else;
// else null. New conditions are added. Looks `steps` deep at most.
Constant *CounterChoice::valueIf(Value *value, unsigned holding, unsigned steps)
{
    if (auto *constant = dyn_cast<Constant>(value))
        return constant;
    auto *i = dyn_cast<Instruction>(value);
    if (!i || !steps)
        return nullptr;
    bool spread = false, sign = isSign(i, spread);
    if (sign || (i->getType()->isIntegerTy(1) && !match(i, m_Not(m_Value())))) {
        unsigned number = unsigned(llvm::find(Conditions, i) - Conditions.begin());
        if (number == MOST_CONDITIONS)
            return nullptr;
        if (number == Conditions.size())
            Conditions.push_back(i);
        bool holds = holding >> number & 1;
        return spread && holds ? Constant::getAllOnesValue(i->getType())
                               : ConstantInt::get(i->getType(), holds);
    }
    if (!isa<SelectInst>(i) && !isa<CastInst>(i) && !isa<BinaryOperator>(i) && !isa<GetElementPtrInst>(i))
        return nullptr;
    SmallVector<Constant *, 4> operands;
    for (Value *operand : i->operands()) {
        operands.push_back(valueIf(operand, holding, steps - 1));
        if (!operands.back())
            return nullptr;
    }
    return ConstantFoldInstOperands(i, operands, Marker->getModule()->getDataLayout());
}

// Is it the address of a counter, and not one beside an array?
static bool isCounter(Constant *address, bool &known)
{
    unsigned long long key;
    unsigned number;
    known = shim_counter(wrap(address), &key, &number);
    auto *array = known ? cast<GlobalVariable>(getUnderlyingObject(address)) : nullptr;
    return known && number < array->getValueType()->getArrayNumElements() - COUNTERS_HEADER_WORDS;
}

bool CounterChoice::find(CallInst *marker)
{
    Marker = marker;
    Conditions.clear();
    Truths.clear();
    Counters.clear();
    Chosen.clear();
    for (unsigned holding = 0; holding < 1u << Conditions.size() || !holding; holding++) {
        Constant *counter = valueIf(marker->getArgOperand(0), holding);
        bool known = false;
        if (!counter || (!isCounter(counter, known) && !known))
            return false;
        if (!isCounter(counter, known))
            counter = nullptr;
        else if (!is_contained(Counters, counter))
            Counters.push_back(counter);
        Chosen.push_back(counter);
    }
    return !Conditions.empty() && Counters.size() > 1 && Counters.size() <= MOST_COUNTERS;
}

// The condition as a truth value. It may be undefined where others make it not matter.
Value *CounterChoice::conditionOf(IRBuilder<> &builder, unsigned number) const
{
    Value *condition = Conditions[number];
    bool spread;
    if (isSign(condition, spread) && !condition->getType()->isIntegerTy(1)) {
        Value *value = cast<Instruction>(condition)->getOperand(0);
        condition = builder.CreateICmpSLT(value, Constant::getNullValue(value->getType()));
    }
    bool may_matter_not = Conditions.size() > 1 && !isGuaranteedNotToBeUndefOrPoison(condition);
    return may_matter_not ? builder.CreateFreeze(condition) : condition;
}

// Is the counter chosen, if of the last conditions those hold that `holding` has bits for? Depends on
// as many of the first conditions.
Value *CounterChoice::formula(IRBuilder<> &builder, Constant *counter, unsigned conditions,
                              unsigned holding) const
{
    if (!conditions)
        return builder.getInt1(Chosen[holding] == counter);
    unsigned number = conditions - 1;
    Value *without = formula(builder, counter, number, holding);
    Value *with = formula(builder, counter, number, holding | 1u << number);
    if (without == with)
        return with;
    Value *condition = Truths[number];
    if (match(with, m_Zero()))
        return builder.CreateAnd(builder.CreateNot(condition), without);
    if (match(without, m_Zero()))
        return builder.CreateAnd(condition, with);
    return builder.CreateSelect(condition, with, without);
}

Value *CounterChoice::isChosen(IRBuilder<> &builder, Constant *counter)
{
    for (unsigned number = unsigned(Truths.size()); number < Conditions.size(); number++)
        Truths.push_back(conditionOf(builder, number));
    return formula(builder, counter, unsigned(Conditions.size()), 0);
}
