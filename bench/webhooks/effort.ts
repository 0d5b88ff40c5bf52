/** The amount of measurement: a full run, or a short run that only checks that it works. */
export type Effort = {
  readonly rounds: number
  /** Events of a backlog; each is delivered to every endpoint. */
  readonly events: number
  /** Events that are created and delivered concurrently. */
  readonly liveEvents: number
  /** The duration of the load at half of the maximum rate. */
  readonly steadyMs: number
  /** Events that are counted one at a time until they are delivered. */
  readonly countedEvents: number
  /** Isolation: events of a backlog per workspace. */
  readonly isolationEvents: number
  /** Events for which every arrival is verified. */
  readonly volumeEvents: number
}

export const fullEffort: Effort = {
  rounds: 5,
  events: 1_000,
  liveEvents: 500,
  steadyMs: 20_000,
  countedEvents: 200,
  isolationEvents: 20,
  volumeEvents: 50_000,
}

export const shortEffort: Effort = {
  rounds: 2,
  events: 300,
  liveEvents: 150,
  steadyMs: 5_000,
  countedEvents: 40,
  isolationEvents: 6,
  volumeEvents: 500,
}

/** The maximum number of endpoints of a workspace. */
export const endpointsPerWorkspace = 20
