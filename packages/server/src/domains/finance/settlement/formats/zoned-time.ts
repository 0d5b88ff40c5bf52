/**
 * The offset of a local time in the time zone that a report names. Adyen writes the abbreviation of the time zone in
 * each line: CET in winter and CEST in summer, so the hour that exists twice in autumn is unambiguous. An abbreviation
 * that does not apply on that date, such as CET in July, stands for the local time of its region. No side effects.
 */
import { isTimeZone, offsetsOf } from '../../../../kernel/calendar.ts'

type NamedZone = { readonly region: string; readonly offsetMinutes: number }

// biome-ignore format: aligned columns are easier to read.
const zonesByName: { readonly [name: string]: NamedZone } = {
  UTC:  { region: 'UTC',                 offsetMinutes: 0 },
  GMT:  { region: 'Europe/London',       offsetMinutes: 0 },
  BST:  { region: 'Europe/London',       offsetMinutes: 60 },
  WET:  { region: 'Europe/Lisbon',       offsetMinutes: 0 },
  WEST: { region: 'Europe/Lisbon',       offsetMinutes: 60 },
  CET:  { region: 'Europe/Amsterdam',    offsetMinutes: 60 },
  CEST: { region: 'Europe/Amsterdam',    offsetMinutes: 120 },
  EET:  { region: 'Europe/Helsinki',     offsetMinutes: 120 },
  EEST: { region: 'Europe/Helsinki',     offsetMinutes: 180 },
  EST:  { region: 'America/New_York',    offsetMinutes: -300 },
  EDT:  { region: 'America/New_York',    offsetMinutes: -240 },
  CDT:  { region: 'America/Chicago',     offsetMinutes: -300 },
  MDT:  { region: 'America/Denver',      offsetMinutes: -360 },
  PST:  { region: 'America/Los_Angeles', offsetMinutes: -480 },
  PDT:  { region: 'America/Los_Angeles', offsetMinutes: -420 },
  BRT:  { region: 'America/Sao_Paulo',   offsetMinutes: -180 },
  JST:  { region: 'Asia/Tokyo',          offsetMinutes: 540 },
  HKT:  { region: 'Asia/Hong_Kong',      offsetMinutes: 480 },
  SGT:  { region: 'Asia/Singapore',      offsetMinutes: 480 },
  AEST: { region: 'Australia/Sydney',    offsetMinutes: 600 },
  AEDT: { region: 'Australia/Sydney',    offsetMinutes: 660 },
  NZST: { region: 'Pacific/Auckland',    offsetMinutes: 720 },
  NZDT: { region: 'Pacific/Auckland',    offsetMinutes: 780 },
}

/** A cache of the most recently computed offsets, by hour. Lines of a report are close to each other in time. */
const maxCachedHours = 10_000
const offsetsByHour = new Map<string, readonly number[]>()

/**
 * The offset from UTC in minutes at a local time, which is given as if it were UTC. Null if the time zone is unknown:
 * abbreviations such as CST and IST are used for several time zones.
 */
export function offsetMinutesAt(local: Date, zone: string): number | null {
  const named = Object.hasOwn(zonesByName, zone) ? zonesByName[zone] : undefined
  const region = named?.region ?? (isTimeZone(zone) ? zone : null)
  if (region === null) return null
  // Clocks are changed on the hour or the half hour.
  const halfHour = new Date(Math.floor(local.getTime() / 1_800_000) * 1_800_000).toISOString().slice(0, 16)
  const key = `${region} ${halfHour}`
  const offsets = offsetsByHour.get(key) ?? offsetsOf(halfHour, region)
  if (offsetsByHour.size >= maxCachedHours) offsetsByHour.clear()
  offsetsByHour.set(key, offsets)
  const isNamedOffset = named !== undefined && offsets.includes(named.offsetMinutes)
  return isNamedOffset ? named.offsetMinutes : (offsets[0] ?? null)
}
