/**
 * Sends events to a receiver: concurrently, but one at a time and in order for each object. A failed event is
 * retried, and later events of the same object wait for it. While the receiver is unreachable, attempts continue
 * without using up retries.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamedEvent } from '@switchyard/sdk'
import type { Faults } from './faults.ts'
import { post, type Receiver, type Reply } from './post.ts'
import type { Progress } from './progress.ts'

export type Forwarding = {
  readonly receiver: Receiver
  readonly concurrency: number
  /** How many times a failed event is retried. */
  readonly retries: number
  /** If false, events of one object can arrive out of order. */
  readonly isOrdered: boolean
  readonly faults: Faults
}

/** The result of one attempt. */
export type Attempt = {
  readonly event_id: string
  readonly type: string
  readonly object_id: string
  readonly attempt: number
  readonly outcome: 'delivered' | 'duplicated' | 'retrying' | 'waiting' | 'given_up'
  /** Null without a response. */
  readonly status: number | null
  readonly fault: string | null
  readonly duration_ms: number
}

export type Forwarder = {
  /** Queues an event. Waits while too many events are open, so that reading never runs far ahead of sending. */
  enqueue(event: StreamedEvent): Promise<void>
  /** Waits for running attempts. After an abort no further ones start. */
  drain(): Promise<void>
}

type Listener = {
  readonly progress: Progress
  /** Called after an event is finished, to save the progress. */
  readonly onFinished: () => void
  readonly onAttempt: (attempt: Attempt) => void
  /** Called after an unexpected error that ends the listener. */
  readonly onError: (error: unknown) => void
  readonly signal: AbortSignal
}

/** The maximum number of events that can be started, counted from the first unfinished one. */
const maxOpen = 500
const maxWaitMs = 5_000

export function createForwarder(forwarding: Forwarding, listener: Listener): Forwarder {
  const { progress, signal, onFinished, onError } = listener
  const queues = new Map<string, Promise<void>>()
  const slots = createSlots(forwarding.concurrency)
  const capacity = createNotifier()
  signal.addEventListener('abort', capacity.notify, { once: true })

  const run = async (event: StreamedEvent, objectId: string) => {
    if (signal.aborted) return
    await deliver({ event, objectId, forwarding, listener, slots })
    capacity.notify()
  }
  return {
    async enqueue(event) {
      while (progress.open >= maxOpen && !signal.aborted) await capacity.nextNotification()
      if (!progress.begin(event.id, event.$cursor)) return onFinished()
      const objectId = objectIdOf(event)
      const key = forwarding.isOrdered ? objectId : event.id
      const queue = (queues.get(key) ?? Promise.resolve()).then(() => run(event, objectId))
      queues.set(key, queue)
      queue.catch(onError).finally(() => queues.get(key) === queue && queues.delete(key))
    },
    async drain() {
      await Promise.allSettled(queues.values())
    },
  }
}

type DeliveryJob = {
  readonly event: StreamedEvent
  readonly objectId: string
  readonly forwarding: Forwarding
  readonly listener: Listener
  readonly slots: Slots
}

/** Attempts an event until it is finished or the signal is aborted. */
async function deliver(job: DeliveryJob): Promise<void> {
  const { forwarding, listener } = job
  let failures = 0
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptDelivery(job, attempt, failures < forwarding.retries)
    if (outcome === 'delivered') return sendDuplicate(job, attempt + 1)
    if (outcome === null || outcome === 'given_up') return
    // An unreachable receiver received nothing, so the attempt does not count as a retry.
    if (outcome === 'retrying') failures += 1
    const waitMs = Math.min(maxWaitMs, 250 * 2 ** Math.min(attempt, 10))
    if (!(await waitUnlessAborted(waitMs, listener.signal))) return
  }
}

/** Null if the signal was aborted before anything was sent. */
async function attemptDelivery(
  job: DeliveryJob,
  attempt: number,
  canRetry: boolean,
): Promise<Attempt['outcome'] | null> {
  const { event, forwarding, listener, slots } = job
  if (!(await waitUnlessAborted(forwarding.faults.delayMs(), listener.signal))) return null
  return slots.use(async () => {
    if (listener.signal.aborted) return null
    const startedMs = performance.now()
    const reply = await post(forwarding.receiver, event, attempt)
    const outcome = outcomeOf(reply, canRetry, forwarding.faults)
    // Save first: if the process is killed after this, the event is not sent again.
    if (outcome === 'delivered' || outcome === 'given_up') finishEvent(listener, event)
    listener.onAttempt({ ...attemptDetails(job, reply, startedMs), attempt, outcome })
    return outcome
  })
}

function outcomeOf(reply: Reply, canRetry: boolean, faults: Faults): Attempt['outcome'] {
  if (reply.kind === 'unreachable') return 'waiting'
  const isAccepted = reply.kind === 'responded' && reply.status >= 200 && reply.status < 300
  if (isAccepted && !(canRetry && faults.dropsResponse())) return 'delivered'
  return canRetry ? 'retrying' : 'given_up'
}

function finishEvent({ progress, onFinished }: Listener, { id }: StreamedEvent): void {
  progress.finish(id)
  onFinished()
}

/** Sends an accepted event again if a duplicate fault is injected. */
async function sendDuplicate(job: DeliveryJob, attempt: number): Promise<void> {
  const { event, forwarding, listener, slots } = job
  if (!forwarding.faults.sendsDuplicate()) return
  const startedMs = performance.now()
  const reply = await slots.use(() => post(forwarding.receiver, event, attempt))
  listener.onAttempt({ ...attemptDetails(job, reply, startedMs), attempt, outcome: 'duplicated' })
}

function attemptDetails({ event, objectId }: DeliveryJob, reply: Reply, startedMs: number) {
  return {
    event_id: event.id,
    type: event.type,
    object_id: objectId,
    status: reply.kind === 'responded' ? reply.status : null,
    fault: reply.kind === 'responded' ? null : reply.fault,
    duration_ms: Math.round(performance.now() - startedMs),
  }
}

function objectIdOf(event: StreamedEvent): string {
  const { object } = JSON.parse(event.data) as { object?: { id?: string } }
  return object?.id ?? event.id
}

/** False if the signal was aborted. */
function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  if (ms < 1) return Promise.resolve(true)
  return sleep(ms, true, { signal }).catch(() => false)
}

type Slots = { use<Result>(work: () => Promise<Result>): Promise<Result> }

/** A semaphore: at most `count` run concurrently, the others wait in order. */
function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return {
    async use(work) {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
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

/** Wakes all callers that wait for the next notification. */
function createNotifier() {
  let pending = Promise.withResolvers<void>()
  return {
    nextNotification: () => pending.promise,
    notify() {
      pending.resolve()
      pending = Promise.withResolvers<void>()
    },
  }
}
