/**
 * Sends events to a receiver: many at a time, those of one object one after the other. What fails is tried
 * again, and whatever comes later of that object waits for it. Where nobody listens, it waits until somebody does.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamedEvent } from '@switchyard/sdk'
import type { Faults } from './faults.ts'
import { post, type Receiver, type Reply } from './post.ts'
import type { Progress } from './progress.ts'

export type Forwarding = {
  readonly receiver: Receiver
  readonly concurrency: number
  /** How often it is tried again after it failed. */
  readonly retries: number
  /** False: those of one object overtake each other. */
  readonly isOrdered: boolean
  readonly faults: Faults
}

/** What became of one attempt. */
export type Attempt = {
  readonly event_id: string
  readonly type: string
  readonly object_id: string
  readonly attempt: number
  readonly outcome: 'delivered' | 'duplicated' | 'retrying' | 'waiting' | 'given_up'
  /** Null if no answer came. */
  readonly status: number | null
  readonly fault: string | null
  readonly duration_ms: number
}

export type Forwarder = {
  /** Waits for room, so that what is read is never far ahead of what is sent. */
  take(event: StreamedEvent): Promise<void>
  /** What is on its way arrives; nothing else begins. */
  drain(): Promise<void>
}

type Listener = {
  readonly progress: Progress
  /** Something was settled: time to write it down. */
  readonly onSettled: () => void
  readonly onAttempt: (attempt: Attempt) => void
  /** Something failed that is nobody's answer: the listener has to end. */
  readonly onBroken: (error: unknown) => void
  readonly signal: AbortSignal
}

/** How many events may be read beyond the first that is not settled. */
const mostOpen = 500
const longestWaitMs = 5_000

export function createForwarder(forwarding: Forwarding, listener: Listener): Forwarder {
  const { progress, signal, onSettled, onBroken } = listener
  const lanes = new Map<string, Promise<void>>()
  const slots = createSlots(forwarding.concurrency)
  const room = createBell()
  signal.addEventListener('abort', room.ring, { once: true })

  const run = async (event: StreamedEvent, objectId: string) => {
    if (signal.aborted) return
    await deliver({ event, objectId, forwarding, listener, slots })
    room.ring()
  }
  return {
    async take(event) {
      while (progress.open >= mostOpen && !signal.aborted) await room.rung()
      if (!progress.begin(event.id, event.$cursor)) return onSettled()
      const objectId = objectIdOf(event)
      const key = forwarding.isOrdered ? objectId : event.id
      const lane = (lanes.get(key) ?? Promise.resolve()).then(() => run(event, objectId))
      lanes.set(key, lane)
      lane.catch(onBroken).finally(() => lanes.get(key) === lane && lanes.delete(key))
    },
    async drain() {
      await Promise.allSettled(lanes.values())
    },
  }
}

type Errand = {
  readonly event: StreamedEvent
  readonly objectId: string
  readonly forwarding: Forwarding
  readonly listener: Listener
  readonly slots: Slots
}

/** Until it is settled, or told to stop. */
async function deliver(errand: Errand): Promise<void> {
  const { forwarding, listener } = errand
  let failures = 0
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(errand, attempt, failures < forwarding.retries)
    if (outcome === 'delivered') return repeat(errand, attempt + 1)
    if (outcome === null || outcome === 'given_up') return
    // Nothing has arrived where nobody listens: that counts for nothing.
    if (outcome === 'retrying') failures += 1
    const waitMs = Math.min(longestWaitMs, 250 * 2 ** Math.min(attempt, 10))
    if (!(await pause(waitMs, listener.signal))) return
  }
}

/** Null if it was told to stop before anything was sent. */
async function tryOnce(
  errand: Errand,
  attempt: number,
  mayRepeat: boolean,
): Promise<Attempt['outcome'] | null> {
  const { event, forwarding, listener, slots } = errand
  if (!(await pause(forwarding.faults.delayMs(), listener.signal))) return null
  return slots.use(async () => {
    if (listener.signal.aborted) return null
    const startedMs = performance.now()
    const reply = await post(forwarding.receiver, event, attempt)
    const outcome = outcomeOf(reply, mayRepeat, forwarding.faults)
    // Written down before anything else: whoever is killed from here on does not send it again.
    if (outcome === 'delivered' || outcome === 'given_up') settle(listener, event)
    listener.onAttempt({ ...reportOf(errand, reply, startedMs), attempt, outcome })
    return outcome
  })
}

function outcomeOf(reply: Reply, mayRepeat: boolean, faults: Faults): Attempt['outcome'] {
  if (reply.is === 'absent') return 'waiting'
  const isAccepted = reply.is === 'answered' && reply.status >= 200 && reply.status < 300
  if (isAccepted && !(mayRepeat && faults.losesAnswer())) return 'delivered'
  return mayRepeat ? 'retrying' : 'given_up'
}

function settle({ progress, onSettled }: Listener, { id }: StreamedEvent): void {
  progress.settle(id)
  onSettled()
}

/** Once more what was accepted, if the faults say so. */
async function repeat(errand: Errand, attempt: number): Promise<void> {
  const { event, forwarding, listener, slots } = errand
  if (!forwarding.faults.repeats()) return
  const startedMs = performance.now()
  const reply = await slots.use(() => post(forwarding.receiver, event, attempt))
  listener.onAttempt({ ...reportOf(errand, reply, startedMs), attempt, outcome: 'duplicated' })
}

function reportOf({ event, objectId }: Errand, reply: Reply, startedMs: number) {
  return {
    event_id: event.id,
    type: event.type,
    object_id: objectId,
    status: reply.is === 'answered' ? reply.status : null,
    fault: reply.is === 'answered' ? null : reply.fault,
    duration_ms: Math.round(performance.now() - startedMs),
  }
}

function objectIdOf(event: StreamedEvent): string {
  const { object } = JSON.parse(event.data) as { object?: { id?: string } }
  return object?.id ?? event.id
}

/** False if it was told to stop. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  if (ms < 1) return Promise.resolve(true)
  return sleep(ms, true, { signal }).catch(() => false)
}

type Slots = { use<Result>(work: () => Promise<Result>): Promise<Result> }

/** So many at a time; the others wait in turn. */
function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return {
    async use(work) {
      if (free > 0) free -= 1
      else await new Promise<void>((go) => waiting.push(go))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}

function createBell() {
  let bell = Promise.withResolvers<void>()
  return {
    rung: () => bell.promise,
    ring() {
      bell.resolve()
      bell = Promise.withResolvers<void>()
    },
  }
}
