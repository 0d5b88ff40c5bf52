// Starts a real Prometheus that scrapes one process, with the rules of the repository.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../services/ports.ts'
import { startTied } from '../services/tied-process.ts'

export type Sample = {
  readonly metric: { readonly [label: string]: string }
  readonly value: [number, string]
}

type QueryResponse = { readonly error?: string; readonly data?: { readonly result: readonly Sample[] } }

export type Prometheus = {
  /** Runs a query. An invalid query throws the error message of Prometheus. */
  query(expr: string): Promise<readonly Sample[]>
  stop(): Promise<void>
}

const rules = resolve(import.meta.dirname, '../../deploy/prometheus')
const readyTimeoutMs = 60_000

export async function startPrometheus(folder: string, target: string): Promise<Prometheus> {
  const home = join(folder, 'prometheus')
  mkdirSync(home, { recursive: true })
  const config = {
    global: { scrape_interval: '2s', evaluation_interval: '5s' },
    rule_files: [`${rules}/recording.yaml`, `${rules}/alerts.yaml`],
    scrape_configs: [{ job_name: 'switchyard', static_configs: [{ targets: [target] }] }],
  }
  // JSON is valid YAML.
  writeFileSync(join(home, 'prometheus.yaml'), JSON.stringify(config))
  const listen = `127.0.0.1:${await freePort()}`
  const server = await startTied({
    binary: process.env.PROMETHEUS_BIN ?? 'prometheus',
    args: [
      `--config.file=${home}/prometheus.yaml`,
      `--storage.tsdb.path=${home}/data`,
      `--web.listen-address=${listen}`,
    ],
    logFile: join(home, 'prometheus.log'),
    cwd: home,
    deathSignal: 'SIGTERM',
  })
  const deadlineMs = performance.now() + readyTimeoutMs
  const isReady = async () => (await fetch(`http://${listen}/-/ready`).catch(() => null))?.ok === true
  while (!(await isReady())) {
    if (!server.running() || performance.now() > deadlineMs) throw new Error(server.lastOutput())
    await sleep(100)
  }
  return {
    async query(expr) {
      const response = await fetch(`http://${listen}/api/v1/query?${new URLSearchParams({ query: expr })}`)
      const { error, data } = (await response.json()) as QueryResponse
      if (data === undefined) throw new Error(`${error}: ${expr}`)
      return data.result
    },
    stop: () => server.end('SIGTERM'),
  }
}
