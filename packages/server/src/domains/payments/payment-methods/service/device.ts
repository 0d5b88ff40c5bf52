/** The payer's browser, from the request. */
import type { Device } from '../../../../providers/contract.ts'
import type { DeviceInput } from '../schema/device.ts'

export function deviceFrom(input: DeviceInput): Device {
  return {
    ip: input.ip ?? null,
    userAgent: input.user_agent ?? null,
    acceptHeader: input.accept_header ?? null,
    language: input.language ?? null,
    colorDepth: input.color_depth ?? null,
    screenWidth: input.screen_width ?? null,
    screenHeight: input.screen_height ?? null,
    timeZoneOffsetMinutes: input.time_zone_offset_minutes ?? null,
    javaEnabled: input.java_enabled ?? null,
  }
}
