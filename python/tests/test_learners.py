"""Stable-Baselines3's learners train on our problems, and a short training must improve. With a
memory alone LightDark takes longer than a test may, so there it is enough that the policy moves."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs stable-baselines3 and sb3-contrib")
import torch  # noqa: E402
from sb3_contrib import RecurrentPPO  # noqa: E402
from stable_baselines3 import PPO  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402

import bpo  # noqa: E402
import bpo.sb3  # noqa: E402

torch.set_num_threads(1)  # the networks are small

@pytest.mark.parametrize("problem", ["tiger", "lightdark"])
@pytest.mark.parametrize("learner", ["ppo", "recurrent"])
def test_trains(problem, learner):
    recurrent = learner == "recurrent"
    how = {"belief": False} if recurrent else {}
    make = RecurrentPPO if recurrent else PPO
    policy = "MlpLstmPolicy" if recurrent else "MultiInputPolicy"
    env = bpo.sb3.VecEnv(problem, 64, seed=0, **how)
    model = make(policy, env, n_steps=16, batch_size=512, n_epochs=4, learning_rate=2e-3,
                 gamma=0.95, seed=0, device="cpu")
    before = bpo.sb3.evaluate(problem, model, episodes=256, recurrent=recurrent, **how)
    first = [p.detach().clone() for p in model.policy.parameters()]
    told_where = problem == "lightdark" and not recurrent
    model.learn((100 if told_where else 10) * 64 * 16)
    assert not all(torch.equal(a, b) for a, b in zip(first, model.policy.parameters()))
    after = bpo.sb3.evaluate(problem, model, episodes=256, recurrent=recurrent, **how)
    assert np.isfinite(after).all()
    if told_where:  # three seeds of the learner were eleven standard errors better
        assert (after - before).mean() > 5 * (after - before).std() / 256**0.5
    if problem == "tiger":
        assert after.mean() > before.mean()
        assert len(model.ep_info_buffer) > 0  # returns of episodes are told
        evaluate_policy(model, bpo.sb3.VecEnv(problem, 8, seed=1, **how), n_eval_episodes=8)


def test_the_last_observation_of_an_episode_is_told():
    env = bpo.sb3.VecEnv("tiger", 3, seed=0, set={"problem.horizon": 1})
    env.reset()
    obs, reward, done, infos = env.step(np.zeros(3, int))
    assert done.all()
    for i, info in enumerate(infos):
        assert info["TimeLimit.truncated"]
        assert info["terminal_observation"]["belief"].max() == pytest.approx(0.85)
        np.testing.assert_array_equal(obs["belief"][i], [0.5, 0.5])
        assert info["episode"] == {"r": -1.0, "l": 1}
