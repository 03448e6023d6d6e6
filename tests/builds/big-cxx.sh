# A large C++ program made of templates: boost's regular expressions, format and property trees, in one unit of some hundred thousand lines, at -O2: exact,
# exceptions included.
. "$COTREE_TOP/tests/builds/lib.sh"
"$COTREE_TOP/tools/deps" libboost-dev
cat >big.cpp <<'END'
#include <boost/algorithm/string.hpp>
#include <boost/format.hpp>
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>
#include <boost/property_tree/json_parser.hpp>
#include <boost/regex.hpp>
#include <boost/spirit/include/qi.hpp>
#include <iostream>
#include <sstream>
namespace qi = boost::spirit::qi;
struct word {
    std::string text;
    int count;
};
using words = boost::multi_index_container<
    word, boost::multi_index::indexed_by<boost::multi_index::hashed_unique<boost::multi_index::member<word, std::string, &word::text>>,
                                         boost::multi_index::ordered_non_unique<boost::multi_index::member<word, int, &word::count>>>>;
int main()
{
    words all;
    std::string text = "the quick brown fox jumps over the lazy dog, and the dog does not mind; 42 3.5 [1,2,3] {\"a\": [1, {\"b\": null}]}";
    boost::regex pattern("([a-z]+)|([0-9]+(\\.[0-9]+)?)");
    for (boost::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) {
        auto [at, added] = all.insert({i->str(), 1});
        if (!added)
            all.modify(at, [](word &w) { w.count++; });
    }
    for (const word &w : all.get<1>())
        std::cout << boost::format("%-10s %d\n") % boost::to_upper_copy(w.text) % w.count;
    std::vector<int> numbers;
    std::string list = "1,2,3,5,8";
    auto from = list.begin();
    if (!qi::phrase_parse(from, list.end(), qi::int_ % ',', qi::space, numbers))
        return 1;
    int refused = 0;
    for (const char *json : {"{\"a\": [1, {\"b\": null}]}", "{\"a\": ", "[1, 2", "{}", "nonsense"})
        try {
            std::istringstream in(json);
            boost::property_tree::ptree tree;
            boost::property_tree::read_json(in, tree);
            boost::property_tree::write_json(std::cout, tree);
        } catch (boost::property_tree::json_parser_error &) {
            refused++;
        }
    try {
        boost::regex bad("(");
    } catch (boost::regex_error &e) {
        refused++;
    }
    std::cout << numbers.size() << " " << refused << std::endl;
    exit(refused);
}
END
"clang++-${LLVM:-19}" -std=c++17 -O2 -w big.cpp -o plain
status=0 && ./plain >plain.out || status=$?
for flags in "-O2" "-O2 -flto=thin -fuse-ld=lld" "-O2 -static-pie"; do
    # shellcheck disable=SC2086
    "$cotree" c++ -fcotree=$sets -std=c++17 -w $flags big.cpp -o big
    ours=0 && COTREE_FILE=big.cotree ./big >big.out || ours=$?
    [ "$ours" = "$status" ] && cmp plain.out big.out || die "another result with $flags"
    exact big big.cotree
    rm big.cotree
done
echo "$(jq '.functions | length' report.json) functions, $(jq '[.functions[].edges | length] | add' report.json) edges: exact at -O2, with ThinLTO and as -static-pie"
