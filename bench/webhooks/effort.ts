/** How much is measured: enough to tell, or just enough to see that it runs. */
export type Effort = {
  readonly rounds: number
  /** Events of a backlog; each goes to every endpoint. */
  readonly events: number
  /** Events that are told and delivered at the same time. */
  readonly liveEvents: number
  /** How long events come at half of what the machine can do. */
  readonly steadyMs: number
  /** Events one after the other, each counted until it is delivered. */
  readonly countedEvents: number
  /** Isolation: events of a backlog, for each workspace. */
  readonly isolationEvents: number
  /** Events whose every arrival is verified. */
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

/** As many as a workspace may have. */
export const endpointsPerWorkspace = 20
