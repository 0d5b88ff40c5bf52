/**
 * What happens while somebody looks. One connection for all tabs of a browser: the tab that holds the lock reads
 * the stream and tells the others. Objects on screen are read again at once, lists only say that there is more.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useHere } from './workspace.tsx'

type News = { readonly type: string; readonly object_id: string }
export type Pulse = 'connecting' | 'live' | 'paused'

/** Frames of the page, not of the stream: so often at most is read again. */
const gatherMs = 250
/** After so long without a connection the page says that it does not follow any more, and asks itself. */
const patienceMs = 10_000
const pollMs = 15_000

let pulse: Pulse = 'connecting'
const fresh = new Map<string, number>()
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
const setPulse = (next: Pulse) => {
  if (pulse === next) return
  pulse = next
  tell()
}

export function usePulse(): Pulse {
  return useSyncExternalStore(subscribe, () => pulse)
}

/** How many objects of a noun were made since the list was read; and a way to say that it was read. */
export function useFresh(noun: string): { readonly count: number; readonly seen: () => void } {
  const count = useSyncExternalStore(subscribe, () => fresh.get(noun) ?? 0)
  return {
    count,
    seen: () => {
      fresh.delete(noun)
      tell()
    },
  }
}

/** Follows the workspace's events for as long as a page of it is open. */
export function useLive(): void {
  const { workspace, api } = useHere()
  const queries = useQueryClient()
  useEffect(() => {
    const over = new AbortController()
    const channel = new BroadcastChannel(`switchyard ${workspace.id}`)
    let waiting: News[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = () => {
      timer = undefined
      const batch = waiting
      waiting = []
      const ids = new Set(batch.map(({ object_id }) => object_id))
      for (const { type } of batch) countNew(type)
      tell()
      void queries.invalidateQueries({
        predicate: ({ queryKey: [id, , object] }) => id === workspace.id && ids.has(String(object)),
      })
    }
    const take = (news: News) => {
      waiting.push(news)
      timer ??= setTimeout(settle, gatherMs)
    }
    channel.onmessage = ({ data }: MessageEvent<News | Pulse>) => {
      if (typeof data === 'string') setPulse(data)
      else take(data)
    }
    const share = (news: News | Pulse) => {
      channel.postMessage(news)
      if (typeof news === 'string') setPulse(news)
      else take(news)
    }
    const poll = setInterval(() => {
      if (pulse === 'paused') void queries.invalidateQueries({ predicate: isOf(workspace.id) })
    }, pollMs)
    // Whoever comes later waits for the lock, and goes on when its holder closes the tab.
    navigator.locks
      .request(`switchyard ${workspace.id}`, { signal: over.signal }, () => lead(api, share, over.signal))
      .catch(() => undefined)
    return () => {
      over.abort()
      channel.close()
      clearInterval(poll)
      clearTimeout(timer)
      fresh.clear()
    }
  }, [workspace.id, api, queries])
}

function isOf(workspaceId: string) {
  return ({ queryKey: [id] }: { readonly queryKey: readonly unknown[] }) => id === workspaceId
}

function countNew(type: string): void {
  const [noun = '', what] = type.split('.')
  if (what === 'created') fresh.set(noun, (fresh.get(noun) ?? 0) + 1)
}

/** Reads the stream until the page is left. What breaks is begun again; the SDK itself gives up a bad start. */
async function lead(
  api: ReturnType<typeof useHere>['api'],
  share: (news: News | Pulse) => void,
  signal: AbortSignal,
): Promise<void> {
  const beat = watch(api, share, signal)
  try {
    while (!signal.aborted) {
      await follow(api, share, signal).catch(() => signal.aborted || share('paused'))
      await nap(patienceMs, signal)
    }
  } finally {
    clearInterval(beat)
  }
}

async function follow(
  api: ReturnType<typeof useHere>['api'],
  share: (news: News) => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const { type, data } of api.events.stream({}, { signal }))
    share({ type, object_id: JSON.parse(data).object.id })
}

function nap(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      done()
    })
  })
}

/** A stream that is silent may be broken or merely quiet: whether the server answers tells which. */
function watch(
  api: ReturnType<typeof useHere>['api'],
  share: (news: Pulse) => void,
  signal: AbortSignal,
): ReturnType<typeof setInterval> {
  const ask = () =>
    api.me.get({ signal, timeoutMs: patienceMs, maxRetries: 0 }).then(
      () => share('live'),
      () => signal.aborted || share('paused'),
    )
  void ask()
  return setInterval(() => void ask(), patienceMs)
}
