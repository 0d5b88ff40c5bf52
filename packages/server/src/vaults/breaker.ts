/**
 * The circuit breaker of a vault, in the memory of this process. It opens when half of the latest calls failed because of
 * the vault. While it is open nothing is sent, so that payers do not wait for timeouts; then one call at a time probes.
 */

const recentCount = 20
const recentMs = 60_000
const minCount = 10
const openMs = 15_000

type State = {
  results: readonly { readonly atMs: number; readonly isBad: boolean }[]
  openUntilMs: number | null
  isProbing: boolean
}

export type VaultBreakers = {
  /** Whether a call may be sent. After the open period, only one at a time. */
  mayCall(key: string): boolean
  recordResult(key: string, isBad: boolean): void
}

export function createVaultBreakers(nowMs: () => number): VaultBreakers {
  const states = new Map<string, State>()
  const stateOf = (key: string): State => {
    const state = states.get(key) ?? { results: [], openUntilMs: null, isProbing: false }
    states.set(key, state)
    return state
  }
  return {
    mayCall(key) {
      const state = stateOf(key)
      if (state.openUntilMs === null) return true
      if (nowMs() < state.openUntilMs || state.isProbing) return false
      state.isProbing = true
      return true
    },
    recordResult(key, isBad) {
      const state = stateOf(key)
      const atMs = nowMs()
      if (state.openUntilMs !== null) {
        // Results of calls that were sent before the breaker opened are ignored.
        if (!state.isProbing) return
        Object.assign(state, { isProbing: false, results: [], openUntilMs: isBad ? atMs + openMs : null })
        return
      }
      const isRecent = (result: { readonly atMs: number }) => atMs - result.atMs <= recentMs
      state.results = [...state.results.filter(isRecent), { atMs, isBad }].slice(-recentCount)
      const bad = state.results.filter((result) => result.isBad).length
      if (state.results.length >= minCount && bad * 2 >= state.results.length)
        state.openUntilMs = atMs + openMs
    },
  }
}
