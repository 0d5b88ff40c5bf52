/**
 * How an operation goes its way: what is decided now, what is decided later, how the answer leaves and what is
 * told beside it. Everything that moves money passes `conclude`.
 */
import { randomUUID } from 'node:crypto'
import { declineOfCode } from './declines.ts'
import type { Reply } from './faults.ts'
import { approve, problemOf } from './money.ts'
import type { OperationRecord } from './protocol.ts'
import { notProcessed, recordOf, replyWith } from './records.ts'
import { type Behaviour, behaviourOf, type Course, type Verdict } from './scenarios.ts'
import { type Account, type Operation, settle, type World } from './world.ts'

export type Place = { readonly world: World; readonly account: Account }

const challengeMs = 30 * 60_000

/** Plays the scenario of an operation to where it can go now. `origin` is where a payer finds the simulator. */
export async function play(place: Place, operation: Operation, origin: string): Promise<Reply> {
  const { course, ...behaviour } = behaviourFor(place, operation)
  const reply = follow(place, operation, course, origin)
  const tell = tellerOf(place, operation, behaviour.telling)
  if (behaviour.telling === 'before_reply') await tell()
  return {
    ...reply,
    ...(behaviour.manner === undefined ? {} : { manner: behaviour.manner }),
    ...(behaviour.replyAfterMs === undefined ? {} : { afterMs: behaviour.replyAfterMs }),
    ...(behaviour.telling === 'before_reply' ? {} : { afterwards: tell }),
  }
}

function behaviourFor({ world, account }: Place, { scenario, request, puts }: Operation): Behaviour {
  const approval: Behaviour = { course: { is: 'approve' } }
  if (request === null) return approval
  const behaviour = behaviourOf(scenario, request.kind)
  const isFirst = world.firstAccounts.get(request.payment_id) === account.name
  if (behaviour.firstAccountOnly === true && !isFirst) return approval
  if (puts === 1) return behaviour
  return behaviour.course.is === 'lose' ? approval : { course: behaviour.course }
}

function follow(place: Place, operation: Operation, course: Course, origin: string): Reply {
  const { world, account } = place
  switch (course.is) {
    case 'approve':
    case 'decline':
      return replyWith(conclude(place, operation, course))
    case 'challenge':
      return replyWith(challenge(place, operation, course.ends, origin))
    case 'pending': {
      const record = recordOf(operation, 'pending', { check_after_ms: course.afterMs })
      const decision = { at: world.clock.now() + course.afterMs, verdict: course.ends }
      return replyWith(decideLater(place, { ...operation, record, decision }))
    }
    case 'lose':
    case 'refuse':
      settle(world, account, { ...operation, record: null }, null)
      return notProcessed(course.is === 'refuse' ? course.status : 503)
    case 'reject': {
      const record = recordOf(operation, 'rejected', { error: course.error })
      settle(world, account, { ...operation, record }, null)
      return { status: course.status, body: record }
    }
  }
}

/** The end of an operation, and the only place where money moves. */
export function conclude({ world, account }: Place, operation: Operation, verdict: Verdict): OperationRecord {
  const ended = { ...operation, challenge: null, decision: null }
  if (verdict.is === 'decline') {
    const record = recordOf(operation, 'declined', { decline: verdict.decline })
    settle(world, account, { ...ended, record }, null)
    return record
  }
  const error = problemOf(account, operation)
  if (error !== null) {
    const record = recordOf(operation, 'rejected', { error })
    settle(world, account, { ...ended, record }, null)
    return record
  }
  const { record, fact } = approve(account, operation, world.clock.now(), verdict.amountOff)
  settle(world, account, { ...ended, record }, fact)
  return record
}

function challenge(place: Place, operation: Operation, ends: 'pass' | 'fail' | 'leave', origin: string) {
  const { world, account } = place
  const at = world.clock.now() + challengeMs
  const action = {
    type: 'redirect',
    url: `${origin}/${account.name}/3ds/${encodeURIComponent(operation.reference)}`,
    expires_at: new Date(at).toISOString(),
  } as const
  return decideLater(place, {
    ...operation,
    record: recordOf(operation, 'action_required', { action }),
    challenge: { ends, secret: randomUUID(), result: null },
    decision: { at, verdict: { is: 'decline', decline: declineOfCode('authentication_abandoned') } },
  })
}

function decideLater(place: Place, operation: Operation & { readonly record: OperationRecord }) {
  settle(place.world, place.account, operation, null)
  scheduleDecision(place, operation)
  return operation.record
}

/** Also after a restart, for every operation of the books that still waits. */
export function scheduleDecision(place: Place, operation: Operation): void {
  const { decision } = operation
  if (decision === null) return
  place.world.clock.at(decision.at, async () => {
    if (!stillStands(place.account.operations.get(operation.reference), operation)) return
    const record = conclude(place, operation, decision.verdict)
    await place.world.journal.durable()
    await place.account.outbox.tell('operation.updated', record)
  })
}

/** It may have been completed or closed since. Without idempotency a repeat does not replace the first: both charge. */
function stillStands(current: Operation | undefined, { puts, decision }: Operation): boolean {
  if (current === undefined || current.record?.status === 'closed') return false
  if (current.puts === puts) return current.decision?.at === decision?.at
  return decision?.verdict.is === 'approve'
}

function tellerOf({ world, account }: Place, { reference }: Operation, telling: Behaviour['telling']) {
  const record = account.operations.get(reference)?.record
  return async () => {
    if (record == null || record.status === 'rejected') return
    await world.journal.durable()
    if (telling === 'forged') {
      const { decline: _, ...rest } = record
      await account.outbox.tell('operation.updated', { ...rest, status: 'succeeded' }, { forged: true })
    } else {
      await account.outbox.tell('operation.updated', record, { times: telling === 'three_times' ? 3 : 1 })
    }
  }
}
