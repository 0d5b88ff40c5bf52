// The faults of the failover drill. Each is injected into the node that is the primary.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterNode, PostgresCluster } from './postgres-cluster.ts'

export type Fault = {
  readonly description: string
  /** The longest time without a successful write. */
  readonly maxSilenceSeconds: number
  inject(primary: ClusterNode, cluster: PostgresCluster): Promise<void>
  /** Repairs the node after the failover. Omitted if the cluster repairs itself. */
  heal?(old: ClusterNode, cluster: PostgresCluster): Promise<void>
}

/** A process is replaced within 5 seconds, a machine within 30 seconds. */
const [processSeconds, machineSeconds] = [5, 30]

/** The longest times until another node is the primary, and between the repair and the next successful write. */
export const [maxPromotionSeconds, maxRecoverySeconds] = [machineSeconds, processSeconds]

export const faults = {
  kill: {
    description: 'kill -9 of PostgreSQL on the primary',
    maxSilenceSeconds: processSeconds,
    inject: async (primary) => primary.killPostgres(),
  },
  switchover: {
    description: 'planned switchover',
    maxSilenceSeconds: processSeconds,
    inject: (primary, cluster) => cluster.switchOver(primary),
  },
  machine: {
    description: 'machine of the primary lost',
    maxSilenceSeconds: machineSeconds,
    // Disconnect first: without power, the machine would not close its connections either.
    async inject({ machine }) {
      machine.disconnect()
      await machine.signalAll('SIGKILL')
    },
    async heal(old) {
      old.machine.connect()
      await old.boot()
    },
  },
  freeze: {
    description: 'machine of the primary frozen (SIGSTOP)',
    maxSilenceSeconds: machineSeconds,
    inject: ({ machine }) => machine.signalAll('SIGSTOP'),
    heal: ({ machine }) => machine.signalAll('SIGCONT'),
  },
  cut: {
    description: 'primary cut off from the network',
    maxSilenceSeconds: machineSeconds,
    inject: async ({ machine }) => machine.disconnect(),
    heal: async ({ machine }) => machine.connect(),
  },
  'double-hang': {
    description: 'Patroni hangs on the primary, then on the standby that is not promoted',
    maxSilenceSeconds: machineSeconds,
    async inject(primary, cluster) {
      primary.signalPatroni('SIGSTOP')
      await hangBystander(primary, cluster)
    },
    async heal(_old, { nodes }) {
      for (const node of nodes) node.signalPatroni('SIGCONT')
    },
  },
} satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults

/**
 * When another node gets the lock, stops Patroni on the third one, so that its PostgreSQL continues to replicate from
 * the old primary and to confirm its commits.
 */
async function hangBystander(primary: ClusterNode, cluster: PostgresCluster): Promise<void> {
  const others = cluster.nodes.filter((node) => node !== primary)
  for (;;) {
    const holder = await cluster.readLockHolder(primary)
    const isPromoted = ({ machine }: ClusterNode) => machine.name === holder
    if (others.some(isPromoted)) return others.find((node) => !isPromoted(node))?.signalPatroni('SIGSTOP')
    await sleep(2)
  }
}
