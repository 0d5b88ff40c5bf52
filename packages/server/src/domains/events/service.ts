/** Reading the event log. Writing it is part of every unit of work; see `insertEvents`. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuseMember } from '../../kernel/errors.ts'
import { kinds, type Mode, uuidFromText } from '../../kernel/id.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read } from '../../platform/db/unit-of-work.ts'
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
  const named = Object.entries({ type, object_id, test_clock_id })
  const [first, second] = named.filter(([, value]) => value !== undefined)
  // Each filter has an index of its own; together they would read what they do not answer.
  if (first !== undefined && second !== undefined)
    refuseMember(`/${first[0]}`, 'not_together', `is not possible together with ${second[0]}`)
  const objectUuid = filter.object_id === undefined ? undefined : requireObject(caller.mode, filter.object_id)
  const testClockUuid =
    filter.test_clock_id === undefined
      ? undefined
      : (uuidFromText('test_clock', caller.mode, filter.test_clock_id) ??
        refuseMember('/test_clock_id', 'bad_format', 'must be the id of a test clock'))
  return read(deps, caller, (view) =>
    store.listEvents(view, range, { type: filter.type, objectUuid, testClockUuid }),
  )
}

/** Any kind of object may be asked for; which one it is does not matter to the log. */
function requireObject(mode: Mode, text: string): string {
  for (const kind of kinds) {
    const uuid = uuidFromText(kind, mode, text)
    if (uuid !== null) return uuid
  }
  return refuseMember('/object_id', 'bad_format', 'must be the id of an object')
}
