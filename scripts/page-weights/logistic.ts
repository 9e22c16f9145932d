/** Labeled observations: strengths of signals, in the order of the features. */
export interface Observation {
  strengths: Float64Array;
  /** 1: a copy of the brand. 0: not. */
  label: 0 | 1;
  /** How often it counts. */
  weight: number;
}

/** Assumption about the weight of a feature before any observation. */
export interface Prior {
  mean: number;
  /** −1: the weight is never positive; 1: never negative. */
  sign: 1 | -1;
  /** Whether the weight is the mean, whatever is observed. */
  isFixed?: boolean;
}

export interface Fitted {
  base: number;
  weights: number[];
}

/** Standard deviation of the prior of a weight, relative to its mean, and at least this much. */
const priorSpread = 0.6;
const priorSpreadMin = 0.4;
const basePriorSpread = 2;
const stepsMax = 1_500;
const stepSize = 0.05;
/** Decay rates and constant of Adam. */
const [momentumRate, squareRate, epsilon] = [0.9, 0.999, 1e-8];

/**
 * Fits a logistic regression with Gaussian priors (maximum a posteriori), by full-batch gradient steps of Adam (Kingma and
 * Ba, 2015), after each of which weights with the wrong sign are set to 0. Deterministic. A signal that the observations
 * say nothing about keeps the mean of its prior.
 */
export function fitLogistic(
  observations: readonly Observation[],
  priors: readonly Prior[],
  basePrior: number,
): Fitted {
  const size = priors.length;
  const weights = priors.map(({ mean }) => mean);
  weights.push(basePrior);
  const spreads = priors.map(({ mean }) => Math.max(priorSpreadMin, priorSpread * Math.abs(mean)));
  const momentum = new Float64Array(size + 1);
  const squares = new Float64Array(size + 1);
  for (let step = 1; step <= stepsMax; step += 1) {
    const gradient = gradientOf(observations, weights);
    for (let index = 0; index <= size; index += 1) {
      const mean = priors[index]?.mean ?? basePrior;
      gradient[index]! += (weights[index]! - mean) / (spreads[index] ?? basePriorSpread) ** 2;
      momentum[index] = momentumRate * momentum[index]! + (1 - momentumRate) * gradient[index]!;
      squares[index] = squareRate * squares[index]! + (1 - squareRate) * gradient[index]! ** 2;
      const mean1 = momentum[index]! / (1 - momentumRate ** step);
      const mean2 = squares[index]! / (1 - squareRate ** step);
      // The steps become smaller, so that the result does not depend on where they happen to stop.
      const rate = stepSize * (1 - (step - 1) / stepsMax);
      weights[index]! -= (rate * mean1) / (Math.sqrt(mean2) + epsilon);
      if (priors[index]?.isFixed === true) weights[index] = mean;
      const sign = priors[index]?.sign;
      if (sign !== undefined && weights[index]! * sign < 0) weights[index] = 0;
    }
  }
  const base = weights.pop()!;
  return { base, weights };
}

/** Gradient of the negative log-likelihood; the last element is that of the base. */
function gradientOf(observations: readonly Observation[], weights: readonly number[]): Float64Array {
  const size = weights.length - 1;
  const gradient = new Float64Array(size + 1);
  for (const { strengths, label, weight } of observations) {
    const error = weight * (sigmoid(logOddsOf(strengths, weights, weights[size]!)) - label);
    for (let index = 0; index < size; index += 1) gradient[index]! += error * strengths[index]!;
    gradient[size]! += error;
  }
  return gradient;
}

export function logOddsOf(strengths: Float64Array, weights: readonly number[], base: number): number {
  let sum = base;
  for (let index = 0; index < strengths.length; index += 1) sum += weights[index]! * strengths[index]!;
  return sum;
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/**
 * Chooses the log-odds from which on a page is flagged: above all but the allowed share of harmless pages, and after a
 * third of the gap to the copies if there is one. Copies of others are less perfect than generated ones.
 * @param harmless highest log-odds of each harmless page
 */
export function chooseThreshold({
  copies,
  harmless,
  flaggedShareMax,
  missedShare,
}: {
  copies: readonly number[];
  harmless: readonly number[];
  flaggedShareMax: number;
  missedShare: number;
}): number {
  const falling = harmless.toSorted((one, other) => other - one);
  const rising = copies.toSorted((one, other) => one - other);
  const highest = falling[Math.floor(flaggedShareMax * falling.length)] ?? -Infinity;
  const lowest = rising[Math.floor(missedShare * rising.length)] ?? Infinity;
  return lowest > highest
    ? highest + Math.max(marginMin, (lowest - highest) * gapShare)
    : highest + marginMin;
}

const gapShare = 1 / 3;
/** Distance in log-odds from the highest harmless page that is not flagged. */
const marginMin = 0.25;
