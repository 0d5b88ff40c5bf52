import type { LineStatus } from './settlement-line.ts'

/** The number of lines of a provider account with a status. */
export type LineCount = {
  readonly providerAccountId: string
  readonly status: LineStatus
  readonly lines: bigint
}
