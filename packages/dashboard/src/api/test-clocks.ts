/**
 * Whether pages include the data of test clocks, whose dates may be in the future. One setting for all pages; the
 * browser remembers it. Live workspaces have no test clocks.
 */
import { useMemo, useSyncExternalStore } from 'react'
import { useWorkspace } from './workspace.tsx'

type Query = { readonly test_clocks?: 'include' | 'exclude' }

const setting = 'switchyard.test_clocks'
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function areTestClocksIncluded(): boolean {
  return localStorage.getItem(setting) === 'include'
}

function setIncluded(isIncluded: boolean): void {
  localStorage.setItem(setting, isIncluded ? 'include' : 'exclude')
  for (const listener of listeners) listener()
}

export function useTestClocks(): {
  readonly isIncluded: boolean
  readonly setIncluded: (isIncluded: boolean) => void
  /** The query parameter for reports and lists. */
  readonly query: Query
} {
  const { workspace } = useWorkspace()
  const isIncluded = useSyncExternalStore(subscribe, areTestClocksIncluded)
  const query = useMemo(() => queryOf(workspace.mode, isIncluded), [workspace.mode, isIncluded])
  return { isIncluded, setIncluded, query }
}

function queryOf(mode: 'live' | 'test', isIncluded: boolean): Query {
  return mode === 'live' ? {} : { test_clocks: isIncluded ? 'include' : 'exclude' }
}

/** A list that is filtered by an object includes the object's data on test clocks, regardless of the setting. */
export function hasObjectFilter(filterValues: { readonly [filter: string]: unknown }): boolean {
  return Object.keys(filterValues).some((filter) => filter.endsWith('_id') || filter === 'object')
}

/** For a list with filters: its query parameter for test clocks. */
export function useTestClockFilter(filterValues: { readonly [filter: string]: unknown }): Query {
  const { query } = useTestClocks()
  return hasObjectFilter(filterValues) ? {} : query
}
