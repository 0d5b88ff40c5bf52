// Processes that play stories, from outside.

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Campaign, Result } from './campaign.ts'
import type { FromWorker } from './worker.ts'

export const ownWorker = fileURLToPath(new URL('worker.ts', import.meta.url))

export type Crew = {
  /** Of those that ended, one after another; a failure ends the others. */
  readonly results: Promise<readonly Result[]>
  played(): number
}

export function sendOut(campaigns: readonly Campaign[], workerFile: string = ownWorker): Crew {
  const counts = campaigns.map(() => 0)
  const children: ChildProcess[] = []
  const endAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  const results = campaigns.map((campaign, place) => {
    const child = fork(workerFile, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    children.push(child)
    const ended = resultOf(child, (played) => {
      counts[place] = played
    })
    child.send(campaign)
    return ended.then((result) => {
      if (result?.failure) endAll()
      return result
    })
  })
  return {
    results: Promise.all(results).then((all) => all.filter((one) => one !== null)),
    played: () => counts.reduce((sum, count) => sum + count, 0),
  }
}

/** Null if it was ended from outside. */
function resultOf(child: ChildProcess, onPlayed: (played: number) => void): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    let result: Result | null = null
    child.on('message', (message: FromWorker) => {
      if ('result' in message) {
        result = message.result
        onPlayed(result.played)
      } else onPlayed(message.played)
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (result !== null || signal === 'SIGKILL') resolve(result)
      else reject(new Error(`A process that plays stories ended with ${code ?? signal}.`))
    })
  })
}
