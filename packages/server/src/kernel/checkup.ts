/** The result of checking the whole installation: one result for each check. */
export const checkStatuses = ['ok', 'warn', 'fail'] as const
export type CheckStatus = (typeof checkStatuses)[number]

export type CheckResult = {
  readonly id: string
  readonly title: string
  readonly status: CheckStatus
  /** What the check found. */
  readonly detail: string
  /** How to fix it; null if there is nothing to do. */
  readonly advice: string | null
  /**
   * Ids of the affected objects. Only operators with shell access see them, because tenants must not learn of
   * each other.
   */
  readonly which: readonly string[]
}

export type Checkup = { readonly status: CheckStatus; readonly checks: readonly CheckResult[] }
