// Draws a square picture of that many pixels a side as PGM: things of two kinds, light, shadow and mirrors.
#include <glm/glm.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

using glm::dvec3;

struct Thing {
    double mirror;
    explicit Thing(double mirror) : mirror(mirror) {}
    virtual ~Thing() = default;
    virtual double hit(const dvec3 &from, const dvec3 &way) const = 0; // how far away, or less than 0
    virtual dvec3 normal(const dvec3 &at) const = 0;
    virtual double shade(const dvec3 &) const { return 1; }
};

struct Ball : Thing {
    dvec3 centre;
    double radius;
    Ball(const dvec3 &centre, double radius, double mirror) : Thing(mirror), centre(centre), radius(radius) {}
    double hit(const dvec3 &from, const dvec3 &way) const override {
        const dvec3 to = centre - from;
        const double along = glm::dot(to, way), rest = radius * radius - glm::dot(to, to) + along * along;
        if (rest < 0) return -1;
        const double half = glm::sqrt(rest);
        return along - half > 1e-6 ? along - half : along + half > 1e-6 ? along + half : -1;
    }
    dvec3 normal(const dvec3 &at) const override { return (at - centre) / radius; }
};

struct Floor : Thing {
    Floor() : Thing(0.2) {}
    double hit(const dvec3 &from, const dvec3 &way) const override { return way.y < -1e-9 ? -from.y / way.y - 1e-9 : -1; }
    dvec3 normal(const dvec3 &) const override { return dvec3(0, 1, 0); }
    double shade(const dvec3 &at) const override { return (int(glm::floor(at.x)) + int(glm::floor(at.z))) & 1 ? 0.9 : 0.4; }
};

static std::vector<std::unique_ptr<Thing>> things;
static const dvec3 light = glm::normalize(dvec3(0.6, 1, -0.5));

static const Thing *first_hit(const dvec3 &from, const dvec3 &way, double &distance) {
    const Thing *found = nullptr;
    distance = 1e9;
    for (const auto &thing : things) {
        const double d = thing->hit(from, way);
        if (d > 1e-6 && d < distance) {
            distance = d;
            found = thing.get();
        }
    }
    return found;
}

static double brightness(const dvec3 &from, const dvec3 &way, int depth) {
    double distance, unused;
    const Thing *thing = first_hit(from, way, distance);
    if (!thing) return 0.3 + 0.3 * glm::abs(way.y);
    const dvec3 at = from + way * distance, normal = thing->normal(at);
    double result = 0.1;
    if (!first_hit(at + normal * 1e-5, light, unused)) result += 0.8 * glm::max(0.0, glm::dot(normal, light));
    result *= thing->shade(at);
    if (depth > 0 && thing->mirror > 0)
        result = glm::mix(result, brightness(at + normal * 1e-5, glm::reflect(way, normal), depth - 1), thing->mirror);
    return result;
}

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    const int size = atoi(argv[1]);
    if (size <= 0) throw std::invalid_argument("no pixels");
    things.emplace_back(new Floor);
    for (int i = 0; i < 9; i++) things.emplace_back(new Ball(dvec3(i % 3 * 1.4 - 1.4, 0.5 + i % 2, i / 3 * 1.3), 0.45 + 0.02 * i, i % 3 * 0.35));
    const glm::dmat4 turn = glm::rotate(glm::dmat4(1), 0.3, dvec3(1, 0, 0));
    printf("P2 %d %d 255\n", size, size);
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            const dvec3 way = dvec3(turn * glm::dvec4(2.0 * x / size - 1, 1 - 2.0 * y / size, 1.8, 0));
            const double bright = brightness(dvec3(0, 2.5, -4), glm::normalize(way), 4);
            if (printf("%d\n", glm::clamp(int(bright * 255), 0, 255)) < 0) exit(3);
        }
    return fflush(stdout) ? 3 : 0;
}
