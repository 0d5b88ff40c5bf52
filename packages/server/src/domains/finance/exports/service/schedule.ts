/**
 * Worker: starts the exports of a destination for the next complete day. A day is exported only after the
 * exports of the day before have ended, so that a destination that fails for days does not fill the database.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { dayAfter, exportableAt } from '../daily.ts'
import { type Destination, folderOf } from '../destination.ts'
import { exportCreated } from '../events.ts'
import type { SourceName } from '../sources.ts'
import { lockDestination, updateState } from '../store/destinations.ts'
import { insertExport, lockUnfinished } from '../store/exports.ts'
import { findJournalSettings } from '../store/journal-settings.ts'
import { newExport } from './new-export.ts'

/**
 * The wait before the next check if exports are unfinished. A successful upload starts the next day without this
 * wait.
 */
const waitSeconds = 600

export function scheduleDestination(deps: Deps, ref: Ref<'export_destination'>): Promise<void> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const before = await lockDestination(tx, ref.id)
    if (before.dueAt === null || before.dueAt > tx.now) return
    if ((await lockUnfinished(tx, before.id)).length > 0) {
      await updateState(tx, before, { dueAt: addSeconds(tx.now, waitSeconds) })
      return
    }
    for (const source of before.sources) await startExport(tx, before, source)
    const nextDayOn = dayAfter(before.nextDayOn)
    await updateState(tx, before, { nextDayOn, dueAt: exportableAt(nextDayOn) })
  })
}

async function startExport(tx: Tx, destination: Destination, source: SourceName): Promise<void> {
  const { id, format, nextDayOn: dayOn } = destination
  const settings = source === 'journal' ? await findJournalSettings(tx) : null
  const created = {
    ...newExport(tx, { of: source, format, from: dayOn, to: dayOn, settings }),
    destinationId: id,
    uploadPath: folderOf(destination, source, dayOn),
  }
  await insertExport(tx, created)
  tx.emit(exportCreated, { after: created })
}
