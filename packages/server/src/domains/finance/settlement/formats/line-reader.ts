/**
 * Converts the records of a file, header first, to lines with ids. The id is derived from the provider account, the
 * time and the identity of the line: the same line has the same id in every file. Memory does not grow with the file,
 * except for lines without an identity, which are numbered and limited. No side effects.
 */
import { hash } from 'node:crypto'
import { unreachable } from '../../../../kernel/assert.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, slotOf, uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import type { SettlementImport } from '../settlement-import.ts'
import { adyenMapper } from './adyen.ts'
import { csvMapper } from './csv.ts'
import type { CsvMapping } from './csv-mapping.ts'
import type { LineMapper, ParsedLine } from './parsed-line.ts'
import { stripeMapper } from './stripe.ts'

/** The maximum number of different lines without an identity in a file. */
const maxUnidentifiedLines = 100_000

export type ReadLine = ParsedLine & {
  readonly uuid: string
  readonly number: number
  /** The payment that our reference names. */
  readonly ourPaymentUuid: string | null
  /** The values of the line, as a JSON array. */
  readonly raw: string
}

export type LineReader = {
  /** The columns of the file. */
  readonly columns: readonly string[]
  readonly read: (values: readonly string[]) => ReadLine
}

type Source = Pick<SettlementImport, 'format' | 'mapping' | 'providerAccountId'> & {
  readonly workspaceId: Id<'workspace'>
}

export function openLineReader(source: Source, columns: readonly string[]): LineReader {
  const map = mapperFor(source, columns)
  const occurrences = new Map<string, number>()
  const occurrenceOf = (key: string): number => {
    const occurrence = (occurrences.get(key) ?? 0) + 1
    if (occurrences.size >= maxUnidentifiedLines && occurrence === 1)
      refuse('invalid_settlement_file', {
        detail: `More than ${maxUnidentifiedLines} lines have no reference. Map a column that identifies them.`,
      })
    occurrences.set(key, occurrence)
    return occurrence
  }
  const slot = slotOf(source.workspaceId).toString(16).padStart(3, '0')
  let number = 1
  return {
    columns,
    read(values) {
      number += 1
      const line = map(values, number)
      const digest = digestOf(source, line.key)
      const occurrence = line.isKeyUnique ? 1 : occurrenceOf(digest)
      const identity = occurrence === 1 ? digest : digestOf(source, [digest, String(occurrence)])
      return {
        ...line,
        number,
        raw: JSON.stringify(values),
        ...ownReference(line.ourReference),
        uuid: lineUuid(slot, line.createdAt, identity),
      }
    },
  }
}

function mapperFor({ format, mapping }: Source, columns: readonly string[]): LineMapper {
  switch (format) {
    case 'stripe_payout_reconciliation':
      return stripeMapper(columns)
    case 'adyen_settlement_details':
      return adyenMapper(columns)
    case 'csv':
      return csvMapper(columns, mapping as CsvMapping)
    default:
      return unreachable(format)
  }
}

/** At Adyen, the references of captures, voids and refunds end with the kind of the operation. */
const referencePattern = /^((?:R|([0-7]))([0-9A-HJKMNP-TV-Z]{25})-\d+)(?:-(?:capture|void|refund))?$/

/** References of operations contain the id of their payment, unless they are derived from an idempotency key. */
function ownReference(reported: string | null): Pick<ReadLine, 'ourReference' | 'ourPaymentUuid'> {
  const [, reference, firstDigit, rest] = referencePattern.exec(reported ?? '') ?? []
  return {
    ourReference: reference ?? reported,
    ourPaymentUuid: firstDigit === undefined ? null : uuidOf(`${firstDigit}${rest}` as Id<'payment'>),
  }
}

function digestOf({ providerAccountId }: Source, key: readonly string[]): string {
  return hash('sha256', JSON.stringify([providerAccountId, ...key]))
}

/** The layout of other ids: time, slot of the workspace, and here part of a hash instead of random bits. */
function lineUuid(slot: string, at: Date, digest: string): string {
  const time = uuidFloor(at).slice(0, 13)
  const variant = (8 + (Number.parseInt(digest.slice(0, 1), 16) % 4)).toString(16)
  return `${time}-7${slot}-${variant}${digest.slice(1, 4)}-${digest.slice(4, 16)}`
}
