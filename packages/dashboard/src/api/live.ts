/**
 * Live updates. All tabs of a browser share one connection: the tab that holds the lock reads the event stream and
 * broadcasts to the others. Objects on screen are refetched; lists only show how many new objects there are.
 */
import type { Switchyard } from '@switchyard/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { areTestClocksIncluded } from './test-clocks.ts'
import { useWorkspace } from './workspace.tsx'

type LiveEvent = { readonly type: string; readonly object_id: string; readonly isOnTestClock: boolean }
export type ConnectionStatus = 'connecting' | 'live' | 'paused'

/** Events are batched: objects are refetched at most once per interval. */
const batchMs = 250
/** How often the connection is checked. While it is lost, the page shows "paused" and polls every `pollMs` instead. */
const checkMs = 10_000
const pollMs = 15_000

let status: ConnectionStatus = 'connecting'
const newCounts = new Map<string, number>()
const listeners = new Set<() => void>()
const notifyListeners = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
const setStatus = (next: ConnectionStatus) => {
  if (status === next) return
  status = next
  notifyListeners()
}

export function useConnectionStatus(): ConnectionStatus {
  return useSyncExternalStore(subscribe, () => status)
}

/** The number of objects created since the list was read, and a function that resets it. */
export function useNewObjects(noun: string): { readonly count: number; readonly reset: () => void } {
  const count = useSyncExternalStore(subscribe, () => newCounts.get(noun) ?? 0)
  return {
    count,
    reset: () => {
      newCounts.delete(noun)
      notifyListeners()
    },
  }
}

/** Receives the events of the workspace while one of its pages is open. */
export function useLive(): void {
  const { workspace, api } = useWorkspace()
  const queries = useQueryClient()
  useEffect(() => {
    const controller = new AbortController()
    const channel = new BroadcastChannel(`switchyard ${workspace.id}`)
    let queue: LiveEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      timer = undefined
      const batch = queue
      queue = []
      const ids = new Set(batch.map(({ object_id }) => object_id))
      for (const event of batch) countNew(event)
      notifyListeners()
      void queries.invalidateQueries({
        predicate: ({ queryKey: [id, , object] }) => id === workspace.id && ids.has(String(object)),
      })
    }
    const enqueue = (event: LiveEvent) => {
      queue.push(event)
      timer ??= setTimeout(flush, batchMs)
    }
    channel.onmessage = ({ data }: MessageEvent<LiveEvent | ConnectionStatus>) => {
      if (typeof data === 'string') setStatus(data)
      else enqueue(data)
    }
    const broadcast = (message: LiveEvent | ConnectionStatus) => {
      channel.postMessage(message)
      if (typeof message === 'string') setStatus(message)
      else enqueue(message)
    }
    const poll = setInterval(() => {
      if (status === 'paused') void queries.invalidateQueries({ predicate: belongsTo(workspace.id) })
    }, pollMs)
    // Other tabs wait for the lock. One of them takes over when the tab that holds it is closed.
    navigator.locks
      .request(`switchyard ${workspace.id}`, { signal: controller.signal }, () =>
        readAsLeader(api, broadcast, controller.signal),
      )
      .catch(() => undefined)
    return () => {
      controller.abort()
      channel.close()
      clearInterval(poll)
      clearTimeout(timer)
      newCounts.clear()
    }
  }, [workspace.id, api, queries])
}

function belongsTo(workspaceId: string) {
  return ({ queryKey: [id] }: { readonly queryKey: readonly unknown[] }) => id === workspaceId
}

function countNew({ type, isOnTestClock }: LiveEvent): void {
  // By default, lists do not show objects on test clocks.
  if (isOnTestClock && !areTestClocksIncluded()) return
  const [noun = '', change] = type.split('.')
  if (change === 'created') newCounts.set(noun, (newCounts.get(noun) ?? 0) + 1)
}

/** Reads the stream until the page is closed, and reconnects after an error. */
async function readAsLeader(
  api: Switchyard,
  broadcast: (message: LiveEvent | ConnectionStatus) => void,
  signal: AbortSignal,
): Promise<void> {
  const checkTimer = checkConnection(api, broadcast, signal)
  try {
    while (!signal.aborted) {
      await readStream(api, broadcast, signal).catch(() => signal.aborted || broadcast('paused'))
      await sleep(checkMs, signal)
    }
  } finally {
    clearInterval(checkTimer)
  }
}

async function readStream(
  api: Switchyard,
  broadcast: (message: LiveEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const { type, data } of api.events.stream({}, { signal })) {
    const { object, test_clock } = JSON.parse(data)
    broadcast({ type, object_id: object.id, isOnTestClock: test_clock !== undefined })
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** A silent stream may be disconnected or idle, so the server is polled to find out. */
function checkConnection(
  api: Switchyard,
  broadcast: (message: ConnectionStatus) => void,
  signal: AbortSignal,
): ReturnType<typeof setInterval> {
  const check = () =>
    api.me.get({ signal, timeoutMs: checkMs, maxRetries: 0 }).then(
      () => broadcast('live'),
      () => signal.aborted || broadcast('paused'),
    )
  void check()
  return setInterval(() => void check(), checkMs)
}
