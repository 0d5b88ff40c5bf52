/** The amount of measurement: a full run, or a short run that only checks that it works. */
export type Effort = {
  readonly rounds: number
  readonly forMs: number
  readonly connections: number
  readonly jobs: number
  readonly idleMs: number
}

export const fullEffort: Effort = { rounds: 5, forMs: 2_000, connections: 64, jobs: 6_000, idleMs: 10_000 }
export const shortEffort: Effort = { rounds: 3, forMs: 700, connections: 64, jobs: 2_000, idleMs: 3_000 }
