import unittest

import collatz


def on_host(number):
    steps = 0
    while number > 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
    return steps


class Collatz(unittest.TestCase):
    def test_steps(self):
        numbers = list(range(1, 2000))
        self.assertEqual(collatz.steps(numbers), [on_host(n) for n in numbers])

    def test_device(self):
        self.assertNotEqual(collatz.device(), "")


if __name__ == "__main__":
    unittest.main()
