/** Reads the event log. Every unit of work writes its events itself; see `insertEvents`. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { requireOneFilter, uuidInFilter, uuidOfAny } from '../../../kernel/filters.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { Event } from './event.ts'
import * as store from './store.ts'

export function getEvent(deps: Deps, caller: Caller, id: string): Promise<Event> {
  return read(deps, caller, (view) => store.findEvent(view, id))
}

export function listEvents(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: {
    readonly type?: string | undefined
    readonly object_id?: string | undefined
    readonly test_clock_id?: string | undefined
  },
) {
  const { type, object_id, test_clock_id } = filter
  requireOneFilter({ type, object_id, test_clock_id })
  const objectUuid = uuidOfAny(caller.mode, object_id)
  const testClockUuid = uuidInFilter('test_clock', caller.mode, test_clock_id)
  return read(deps, caller, (view) => store.listEvents(view, range, { type, objectUuid, testClockUuid }))
}
