/** CPU time and memory of processes, from /proc. Linux only; on other systems the values are zero. */
import { readFileSync } from 'node:fs'

/** The value of `getconf CLK_TCK` on every Linux that Node supports. */
const ticksPerSecond = 100

/** The CPU time of one process, in milliseconds. */
export function processMs(pid: number): number {
  return cpuMsOf(pid, 'process')
}

/** The CPU time of a process and its running and ended children, for Postgres. */
export function processTreeMs(pid: number): number {
  return childrenOf(pid).reduce(
    (total, child) => total + cpuMsOf(child, 'process'),
    cpuMsOf(pid, 'process and ended children'),
  )
}

export function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS')
}

/** The highest resident memory of a process since it started. */
export function peakResidentMb(pid: number): number {
  return statusMb(pid, 'VmHWM')
}

/** The memory of a process and its children without shared memory, for Postgres. */
export function unsharedTreeMb(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((total, each) => total + statusMb(each, 'RssAnon'), 0)
}

export function loadAverage(): string {
  return readProc('loadavg').split(' ').slice(0, 3).join(' ')
}

function childrenOf(pid: number): number[] {
  return readProc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

function cpuMsOf(pid: number, scope: 'process' | 'process and ended children'): number {
  // The program name is in parentheses and can contain anything; the numbers follow it.
  const fields = readProc(`${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  const ticks = fields.slice(11, scope === 'process' ? 13 : 15).map(Number)
  return (ticks.reduce((total, value) => total + value, 0) * 1000) / ticksPerSecond
}

function statusMb(pid: number, name: 'VmRSS' | 'VmHWM' | 'RssAnon'): number {
  const [, kilobytes = '0'] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readProc(`${pid}/status`)) ?? []
  return Number(kilobytes) / 1024
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    // The process may have ended, and not every system has /proc.
    return ''
  }
}
