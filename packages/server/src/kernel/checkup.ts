/** What a look at the whole installation says: one verdict for each thing that may be wrong. */
export const checkStatuses = ['ok', 'warn', 'fail'] as const
export type CheckStatus = (typeof checkStatuses)[number]

export type CheckResult = {
  readonly id: string
  readonly title: string
  readonly status: CheckStatus
  /** What was found. */
  readonly detail: string
  /** What to do about it; null if there is nothing to do. */
  readonly advice: string | null
  /** Ids of the objects it is about: for whoever has the shell, since tenants must not learn of each other. */
  readonly which: readonly string[]
}

export type Checkup = { readonly status: CheckStatus; readonly checks: readonly CheckResult[] }
