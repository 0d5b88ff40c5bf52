/**
 * The bank accounts that test mode accepts. Each has a scripted behaviour in the simulator: any other number may be a real
 * account, which must not be used in a test.
 */
export const testIbans: readonly string[] = [
  'DE89370400440532013000',
  'DE16370400440532018000',
  'DE86370400440532018001',
  'DE59370400440532018002',
  'DE32370400440532018003',
]
