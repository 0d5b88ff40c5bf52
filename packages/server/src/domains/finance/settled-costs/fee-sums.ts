/**
 * Sums over the settled payments of a segment, and the fee that is computed from them: a fixed part plus a percentage
 * of the amount, fitted by ordinary least squares. Computed with integers, so the sums of any number of lines are
 * exact. No side effects.
 */
import { mulDiv } from '../../../kernel/money.ts'

/** In minor units of one currency. `products` is the sum of amount times fee. */
export type FeeSums = {
  readonly lines: bigint
  readonly amounts: bigint
  readonly fees: bigint
  readonly amountSquares: bigint
  readonly products: bigint
  readonly feeSquares: bigint
}

/** With fewer lines the cost of a segment is unknown. */
export const minLines = 200

export const hasEnoughLines = ({ lines }: FeeSums): boolean => lines >= BigInt(minLines)

/** The number of digits minus 1, as in the database: fees can be capped or tiered, so amounts are fitted by magnitude. */
export function amountBandOf(amount: bigint): number {
  return String(amount).length - 1
}

/** The sums of squared deviations from the averages, each multiplied by the number of lines. */
function deviationsOf({ lines, amounts, fees, amountSquares, products, feeSquares }: FeeSums) {
  return {
    ofAmounts: lines * amountSquares - amounts * amounts,
    ofBoth: lines * products - amounts * fees,
    ofFees: lines * feeSquares - fees * fees,
  }
}

export type Fee = { readonly basisPoints: number; readonly fixedAmount: number }

/** Rounded to hundredths. Null with too few lines, or if all amounts are equal: then any percentage fits. */
export function feeOf(sums: FeeSums): Fee | null {
  const { ofAmounts, ofBoth } = deviationsOf(sums)
  if (!hasEnoughLines(sums) || ofAmounts === 0n) return null
  const fixedPart = sums.fees * ofAmounts - ofBoth * sums.amounts
  return {
    basisPoints: Number(mulDiv(ofBoth, 1_000_000n, ofAmounts)) / 100,
    fixedAmount: Number(mulDiv(fixedPart, 100n, sums.lines * ofAmounts)) / 100,
  }
}

/** Payments whose total cost is predicted: their number, and the sum of their amounts. */
export type PaymentSums = { readonly payments: bigint; readonly amounts: bigint }

/** Predictions are in millionths of a minor unit, so that totals of many segments are rounded once. */
export const predictionScale = 1_000_000n

/** The variance is in squared minor units. */
export type Prediction = { readonly scaledCost: bigint; readonly variance: number }

/**
 * The total cost of payments, and its variance: the spread of single fees around the fit, plus the uncertainty of the fit.
 * Null with too few lines. If all settled amounts are equal, the cost is known only for payments with that average amount.
 */
export function predictTotal(sums: FeeSums, { payments, amounts }: PaymentSums): Prediction | null {
  if (!hasEnoughLines(sums)) return null
  const { lines, fees } = sums
  const { ofAmounts, ofBoth, ofFees } = deviationsOf(sums)
  // How far the payments are from the average settled amount, multiplied by the number of lines.
  const distance = lines * amounts - payments * sums.amounts
  if (ofAmounts === 0n) {
    if (distance !== 0n) return null
    const spread = quotient(ofFees, lines * (lines - 1n))
    return {
      scaledCost: mulDiv(payments * fees, predictionScale, lines),
      variance: spread * (Number(payments) + quotient(payments * payments, lines)),
    }
  }
  // Never negative: this is the Cauchy-Schwarz inequality, computed exactly.
  const spread = quotient(ofAmounts * ofFees - ofBoth * ofBoth, lines * ofAmounts * (lines - 2n))
  const uncertainty = quotient(payments * payments, lines) + quotient(distance * distance, lines * ofAmounts)
  return {
    scaledCost: mulDiv(payments * fees * ofAmounts + ofBoth * distance, predictionScale, lines * ofAmounts),
    variance: spread * (Number(payments) + uncertainty),
  }
}

/** Accurate to 15 digits, which suffices for an interval. */
const quotient = (numerator: bigint, denominator: bigint) => Number(numerator) / Number(denominator)
