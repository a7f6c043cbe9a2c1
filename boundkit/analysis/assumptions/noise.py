"""Noise of stochastic gradients."""

from sympy import sqrt

from boundkit.algebra.notation import G, G_inf, d, sigma, sigma_i
from boundkit.algebra.vocabulary import (
    ALMOST_SURE_NOISE,
    BOUNDED_COORDINATES,
    BOUNDED_GRADIENTS,
    BOUNDED_NOISE,
    CLIENTWISE_NOISE,
    COORDINATE_NOISE,
    NO_NOISE,
    SHUFFLED_PARTS,
    SYMMETRIC_NOISE,
)
from boundkit.analysis.assumptions.relation import Implication, Refutation, Subject

NOISE = Subject(
    "noise",
    suppositions=(
        ALMOST_SURE_NOISE,
        COORDINATE_NOISE,
        SYMMETRIC_NOISE,
        SHUFFLED_PARTS,
        BOUNDED_COORDINATES,
        BOUNDED_GRADIENTS,
    ),
    granted=(BOUNDED_NOISE, CLIENTWISE_NOISE),
    choices=(NO_NOISE,),
    implications=(
        Implication((NO_NOISE,), SYMMETRIC_NOISE, "the difference is 0"),
        Implication(
            (BOUNDED_NOISE,),
            CLIENTWISE_NOISE,
            "sigma bounds every client; and the largest sigma_i serves as sigma",
            {sigma_i: sigma},
        ),
        Implication((NO_NOISE,), ALMOST_SURE_NOISE, "the difference is 0", {sigma: 0}),
        Implication((NO_NOISE,), COORDINATE_NOISE, "the difference is 0", {sigma: 0}),
        Implication(
            (ALMOST_SURE_NOISE,), BOUNDED_NOISE, "a mean square is at most the largest", {sigma: sigma}
        ),
        Implication((COORDINATE_NOISE,), BOUNDED_NOISE, "sum over the coordinates", {sigma: sigma}),
        Implication(
            (BOUNDED_COORDINATES,), BOUNDED_GRADIENTS, "d squares, each at most G_inf^2", {G: sqrt(d) * G_inf}
        ),
    ),
    refutations=(
        Refutation(
            (BOUNDED_NOISE,),
            ALMOST_SURE_NOISE,
            "Gaussian noise of variance sigma^2",
            "its mean square is sigma^2, and it is unbounded",
        ),
        Refutation(
            (BOUNDED_NOISE,),
            NO_NOISE,
            "noise +-sigma, each with probability 1/2",
            "unbiased, with variance sigma^2",
        ),
        Refutation(
            (BOUNDED_NOISE,),
            SYMMETRIC_NOISE,
            "noise 2 with probability 1/3, -1 with probability 2/3",
            "unbiased, with variance 2, and not symmetric",
        ),
        Refutation(
            (SHUFFLED_PARTS,),
            BOUNDED_NOISE,
            "two parts, whose gradients differ from the client's by 1 and by -1",
            "the second is known once the first is drawn: the steps of a pass are not independent",
        ),
        Refutation(
            (BOUNDED_NOISE,),
            COORDINATE_NOISE,
            "noise of variance 1 in coordinate 1 where x_1 < 0, and in coordinate 2 elsewhere",
            "its mean square is 1 everywhere, but each coordinate needs a bound of 1, and there are d",
            still="with d sigma^2 in all it follows",
        ),
        Refutation(
            (BOUNDED_NOISE,),
            BOUNDED_GRADIENTS,
            "F = x^2/2 with noise +-1, each with probability 1/2",
            "E g^2 = x^2 + 1 grows without bound: the variance is about the gradient, G about 0",
        ),
        Refutation(
            (BOUNDED_GRADIENTS,),
            BOUNDED_NOISE,
            "g = 0 for F = x",
            "the second moment is 0, but the mean of g is not the gradient: it does not exclude bias",
            still="where g is unbiased, sigma = G serves",
        ),
        Refutation(
            (BOUNDED_GRADIENTS,),
            BOUNDED_COORDINATES,
            "Gaussian noise of variance 1 around F = 0",
            "E g^2 = 1, and no bound holds for all samples",
        ),
    ),
)
