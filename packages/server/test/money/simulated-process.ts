// A simulated process handles one request or acts as a worker. Its injected fault affects only this simulated
// process, although all of them run the real code concurrently in one Node process. A crash throws an error
// where the process would end, so that no later code runs.

import { AsyncLocalStorage } from 'node:async_hooks'
import { watchCrashpoints } from '../../src/platform/crashpoint.ts'
import type { InjectedFault } from './payment-scenario.ts'

export class SimulatedCrash extends Error {
  override name = 'SimulatedCrash'

  constructor() {
    super('The simulated process crashed.')
  }
}

export class SimulatedProcess {
  readonly fault: InjectedFault
  /** Whether requests are answered without waiting for the provider. */
  readonly impatient: boolean
  hasCrashed = false
  isFrozen = false
  /** The current provider call, and when it started in scenario time. */
  call: { readonly reference: string; readonly startedMs: number } | null = null
  /** Resolves when the process freezes. */
  readonly frozen: Promise<void>
  readonly resolveFrozen: () => void
  #commits = 0
  #commitsSent = 0
  #statementsSent = 0
  #hasFrozen = false

  constructor(fault: InjectedFault, impatient = false) {
    this.fault = fault
    this.impatient = impatient
    const { promise, resolve } = Promise.withResolvers<void>()
    this.frozen = promise
    this.resolveFrozen = resolve
  }

  afterCommit(): void {
    this.#commits += 1
    this.crashIf(this.fault?.kind === 'crashes_after_commit' && this.fault.nth === this.#commits)
  }

  /** Whether the response to the commit about to be sent is lost. */
  losesNextCommitResponse(): boolean {
    this.#commitsSent += 1
    return this.fault?.kind === 'loses_commit_response' && this.fault.nth === this.#commitsSent
  }

  /** Whether the process stalls before the statement about to be sent. */
  stallsBeforeNextStatement(): boolean {
    this.#statementsSent += 1
    return this.fault?.kind === 'stalls' && this.fault.nth === this.#statementsSent
  }

  /** Throws if the process crashes now or has crashed before. */
  crashIf(shouldCrash: boolean): void {
    this.hasCrashed ||= shouldCrash
    if (this.hasCrashed) throw new SimulatedCrash()
  }

  /** Returns true only once, so that a thawed process continues. */
  shouldFreeze(): boolean {
    if (this.fault?.kind !== 'freezes' || this.#hasFrozen) return false
    this.#hasFrozen = true
    return true
  }
}

const processStorage = new AsyncLocalStorage<SimulatedProcess>()

export const currentProcess = (): SimulatedProcess | undefined => processStorage.getStore()

export function runInProcess<T>(simulated: SimulatedProcess, action: () => Promise<T>): Promise<T> {
  return processStorage.run(simulated, action)
}

watchCrashpoints((name) => {
  if (name === 'unit.committed') currentProcess()?.afterCommit()
})
