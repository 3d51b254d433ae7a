/*
 * Computes the regularised incomplete beta function, and Student's t from it: continued fraction
 * 8.17.22 of the NIST Digital Library of Mathematical Functions, evaluated by Lentz's method as
 * Thompson and Barnett modified it (Journal of Computational Physics 64, 1986). The fraction
 * converges fast for x up to (a + 1) / (a + b + 2). For larger x, the symmetry I_x(a, b) = 1 -
 * I_{1-x}(b, a) is used.
 */
#include <math.h>

#include "stat/stat.h"

enum { TERMS_MAX = 1000, STEPS_MAX = 200 };
static const double tiny = 1e-300, precision = 1e-15;

/* Returns the coefficient d_n of the fraction 1 / (1 + d_1 / (1 + d_2 / (1 + ...))). */
static double coefficient(double a, double b, double x, int n)
{
    const double m = n / 2;
    if (n % 2)
        return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

static double away_from_zero(double value)
{
    return fabs(value) < tiny ? tiny : value;
}

static double fraction(double a, double b, double x)
{
    double value = 1, numerator = 1, denominator = 0;
    for (int n = 1; n <= TERMS_MAX; n++) {
        const double d = coefficient(a, b, x, n);
        denominator = 1 / away_from_zero(1 + d * denominator);
        numerator = away_from_zero(1 + d / numerator);
        const double change = numerator * denominator;
        value *= change;
        if (fabs(change - 1) < precision)
            break;
    }
    return 1 / value;
}

/* Returns x^a (1-x)^b / B(a, b). */
static double power_term(double a, double b, double x)
{
    return exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b));
}

double pm_stat_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - pm_stat_beta(b, a, 1 - x);
    return power_term(a, b, x) / a * fraction(a, b, x);
}

/* Finds the inverse by Newton's method. If a step would leave the bounds of the root, halves the
 * distance between the bounds instead. */
double pm_stat_beta_inverse(double a, double b, double p)
{
    double low = 0, high = 1, x = a / (a + b);
    for (int i = 0; i < STEPS_MAX; i++) {
        const double above = pm_stat_beta(a, b, x) - p;
        *(above < 0 ? &low : &high) = x;
        double next = x - above * x * (1 - x) / power_term(a, b, x);
        if (!(next > low && next < high))
            next = low + (high - low) / 2;
        if (fabs(next - x) <= precision * next)
            return next;
        x = next;
    }
    return x;
}

/* Solves for t in P(|T| < t) = I_y(1/2, df/2) with y = t^2 / (df + t^2): M. Abramowitz, I. A.
 * Stegun, "Handbook of Mathematical Functions", 1964, 26.7.1 and 26.5. */
double pm_stat_student(double alpha, double df)
{
    const double y = pm_stat_beta_inverse(0.5, df / 2, 1 - alpha);
    return sqrt(df * y / (1 - y));
}

double pm_stat_student_p(double t, double df)
{
    return pm_stat_beta(df / 2, 0.5, df / (df + t * t));
}
