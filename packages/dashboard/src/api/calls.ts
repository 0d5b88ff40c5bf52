/** The calls of the API that the pages have made, the last ones, for the inspector. */
import type { RequestReport } from '@switchyard/sdk'
import { useSyncExternalStore } from 'react'

const kept = 50
let calls: readonly RequestReport[] = []
const listeners = new Set<() => void>()

/** What the SDK tells of every call. */
export function noteCall(report: RequestReport): void {
  calls = [report, ...calls].slice(0, kept)
  for (const listener of listeners) listener()
}

export function useCalls(): readonly RequestReport[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => calls,
  )
}
