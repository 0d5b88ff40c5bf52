/** Formats and colors rates, for every page. The limits are documented in docs/concepts/metrics.md. No side effects. */

/** `approval`: higher is better. `errors`: lower is better. */
export type RateKind = 'approval' | 'errors'
export type RateTone = 'success' | 'warning' | 'danger'

const limits = {
  approval: { successFrom: 0.85, warningFrom: 0.7 },
  errors: { warningFrom: 0.01, dangerFrom: 0.05 },
} as const

export function rateTone(kind: RateKind, rate: number): RateTone {
  if (kind === 'approval') {
    const { successFrom, warningFrom } = limits.approval
    return rate >= successFrom ? 'success' : rate >= warningFrom ? 'warning' : 'danger'
  }
  const { warningFrom, dangerFrom } = limits.errors
  return rate >= dangerFrom ? 'danger' : rate >= warningFrom ? 'warning' : 'success'
}

export function worstRate(kind: RateKind, rates: readonly number[]): number {
  return kind === 'approval' ? Math.min(...rates) : Math.max(...rates)
}

/** Null if the denominator is 0. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** "93.2%", or a dash without a rate. Rounded down, so that 99.99% is not shown as 100%. */
export function rateText(rate: number | null): string {
  return rate === null ? '–' : `${Math.floor(Number((rate * 1_000).toPrecision(12))) / 10}%`
}
