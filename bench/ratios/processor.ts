/** Processor time and memory of processes, as the kernel counts them. Linux only; elsewhere figures are zero. */
import { readFileSync } from 'node:fs'

/** What `getconf CLK_TCK` says on every Linux that Node runs on. */
const ticksPerSecond = 100

/** Milliseconds of processor time of one process. */
export function processMs(pid: number): number {
  return msOf(pid, 'own')
}

/** The same of a process and of the children it still has or has buried, as Postgres has them. */
export function familyMs(pid: number): number {
  return childrenOf(pid).reduce((total, child) => total + msOf(child, 'own'), msOf(pid, 'own and buried'))
}

export function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`${pid}/status`)) ?? []
  return Number(kilobytes) / 1024
}

export function loadAverage(): string {
  return readProc('loadavg').split(' ').slice(0, 3).join(' ')
}

function childrenOf(pid: number): number[] {
  return readProc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

function msOf(pid: number, whose: 'own' | 'own and buried'): number {
  // The name of the program stands in brackets and may hold anything; the figures follow after it.
  const fields = readProc(`${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  const ticks = fields.slice(11, whose === 'own' ? 13 : 15).map(Number)
  return (ticks.reduce((total, one) => total + one, 0) * 1000) / ticksPerSecond
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    // A process may end between two looks, and not every system has this folder.
    return ''
  }
}
