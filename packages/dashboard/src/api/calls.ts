/** The latest API calls of the pages, for the inspector. */
import type { RequestReport } from '@switchyard/sdk'
import { useSyncExternalStore } from 'react'

const maxCalls = 50
let calls: readonly RequestReport[] = []
const listeners = new Set<() => void>()

/** Called by the SDK after every request. */
export function recordCall(report: RequestReport): void {
  calls = [report, ...calls].slice(0, maxCalls)
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
