/** What the documentation page of a connector shows in addition to the data of its `provider.ts`. */
import type { DeclineCode } from './declines.ts'
import type { ProviderExponents } from './provider-amounts.ts'

export type ConnectorPage = {
  /** The day of the last successful test with the provider's sandbox, such as `2026-11-30`. Null: there was none. */
  readonly sandboxTestedOn: string | null
  /** The documents from which the calls, responses and tables were written. */
  readonly sources: readonly {
    readonly title: string
    /** The date of the document, or when it was read. */
    readonly date: string
  }[]
  readonly notSupported: readonly string[]
  /** What the connector relies on, or omits, because no source states it clearly. */
  readonly unverified: readonly string[]
  readonly declines: readonly DeclineTable[]
  /** The decimal places at the provider that differ from ISO 4217. */
  readonly exponents: ProviderExponents
}

export type DeclineTable = {
  /** The member of the provider's responses that contains the codes. */
  readonly title: string
  readonly codes: readonly (readonly [theirs: string, ours: DeclineCode])[]
  /** What applies to codes that are not in the table. */
  readonly others: string
  /** Codes after which the outcome is unknown, because they do not prove that nothing was processed. */
  readonly inconclusive?: readonly string[]
}
