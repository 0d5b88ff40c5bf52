/**
 * Determines which objects belong to an export: by their day, and by the range of ids in which they can be. No side
 * effects.
 */
import { addSeconds } from '../../../kernel/clock.ts'
import { modeOf, timeOf, uuidFloor } from '../../../kernel/id.ts'
import type { Export } from './export.ts'

const daySeconds = 86_400
export const firstUuid = '00000000-0000-0000-0000-000000000000'
export const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export type ExportPeriod = {
  /** The time the export was created, on the clock of the workspace. */
  readonly createdAt: Date
  readonly fromAt: Date
  /** Exclusive. */
  readonly toAt: Date
  /** Objects that were written later are not exported, so that repeated reads find the same ones. */
  readonly writtenUntilAt: Date
  /** Exclusive bounds of the ids of objects that are dated by their creation. */
  readonly created: IdBounds
  /**
   * Exclusive bounds of the ids of postings. They are derived from the ids of their causes, which can be
   * older than the period.
   */
  readonly caused: IdBounds
  /**
   * Exclusive bounds of the ids of objects whose ids contain the time of the event, even if they are written
   * much later.
   */
  readonly dated: IdBounds
  /** The ids of events of the period, and of objects that were written in it: both contain real time. */
  readonly written: IdBounds
}
export type IdBounds = { readonly after: string; readonly before: string }

export function periodOf({ id, fromOn, toOn, createdAt }: Export): ExportPeriod {
  const fromAt = startOf(fromOn)
  const toAt = addSeconds(startOf(toOn), daySeconds)
  const writtenUntilAt = timeOf(id)
  // Ids contain real time. On a test clock, objects can have any time, so all objects have to be read.
  const isDatedById = modeOf(id) === 'live'
  const skewMs = writtenUntilAt.getTime() - createdAt.getTime()
  const idFloor = (at: Date, marginDays: number) =>
    uuidFloor(addSeconds(new Date(at.getTime() + skewMs), marginDays * daySeconds))
  const newest = uuidFloor(new Date(writtenUntilAt.getTime() + 1))
  const lastOfPeriod = idFloor(toAt, 1)
  const before = isDatedById && lastOfPeriod < newest ? lastOfPeriod : newest
  const lastDated = uuidFloor(addSeconds(new Date(toAt.getTime() + Math.max(0, skewMs)), daySeconds))
  return {
    createdAt,
    fromAt,
    toAt,
    writtenUntilAt,
    created: { after: isDatedById ? idFloor(fromAt, -1) : firstUuid, before },
    caused: { after: firstUuid, before },
    written: { after: uuidFloor(fromAt), before: uuidFloor(toAt) },
    dated: { after: firstUuid, before: isDatedById ? lastDated : lastUuid },
  }
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`)
}

/** The number of days from the first to the last, both included. */
export function daysOf(fromOn: string, toOn: string): number {
  return (startOf(toOn).getTime() - startOf(fromOn).getTime()) / (daySeconds * 1000) + 1
}
