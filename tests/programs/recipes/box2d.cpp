// Simulates that many steps of a sixtieth of a second and prints where things are after every tenth. A listener counts contacts; told so, it
// leaves the simulation by an exception.
#include <box2d/box2d.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

struct Listener : b2ContactListener {
    int begun = 0, most = 0;
    void BeginContact(b2Contact *) override {
        if (++begun == most) throw std::runtime_error("enough contacts");
    }
};

int main(int argc, char **argv) {
    if (argc < 2) return 64;
    b2World world(b2Vec2(0, -10));
    Listener listener;
    if (argc > 2) listener.most = 20;
    world.SetContactListener(&listener);
    b2BodyDef ground_definition;
    b2Body *ground = world.CreateBody(&ground_definition);
    b2EdgeShape line;
    line.SetTwoSided(b2Vec2(-40, 0), b2Vec2(40, 0));
    ground->CreateFixture(&line, 0);
    b2PolygonShape box;
    box.SetAsBox(0.5f, 0.5f);
    b2CircleShape ball;
    ball.m_radius = 0.7f;
    b2Body *last = ground;
    for (int row = 0; row < 8; row++)
        for (int i = row; i < 8; i++) {
            b2BodyDef definition;
            definition.type = b2_dynamicBody;
            definition.position.Set(1.1f * i - 0.55f * row - 4, 0.8f + 1.2f * row);
            world.CreateBody(&definition)->CreateFixture(&box, 5);
        }
    for (int i = 0; i < 12; i++) {
        b2BodyDef definition;
        definition.type = b2_dynamicBody;
        definition.position.Set(1.5f * i - 8, 14);
        definition.bullet = i % 3 == 0;
        b2Body *body = world.CreateBody(&definition);
        body->CreateFixture(&ball, 3);
        if (i % 2) {
            b2RevoluteJointDef joint;
            joint.Initialize(last, body, body->GetPosition() + b2Vec2(-0.7f, 0));
            world.CreateJoint(&joint);
        }
        last = body;
    }
    for (int step = 0; step < atoi(argv[1]); step++) {
        world.Step(1 / 60.f, 8, 3);
        if (step % 10) continue;
        double x = 0, y = 0;
        for (const b2Body *body = world.GetBodyList(); body; body = body->GetNext()) {
            x += body->GetPosition().x;
            y += body->GetPosition().y;
        }
        printf("%d %.4f %.4f %d\n", step, x, y, listener.begun);
        if (fflush(stdout)) exit(3);
    }
    return 0;
}
