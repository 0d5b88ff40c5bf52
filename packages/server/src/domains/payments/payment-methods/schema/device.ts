/** The payer's browser in the API. Providers use it for 3-D Secure 2. It is never returned. */
import { type Static, Type } from 'typebox'

const pixels = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description, examples: [1920] }))
const header = (name: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: `\`${name}\` header of the payer's browser.`,
    }),
  )

/** The members that only a script in the browser can read. */
const browserMembers = {
  language: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]{1,35}$',
      faultDetail: 'must be a language tag, such as en-GB',
      description: 'Language of the browser: `navigator.language`.',
      examples: ['en-GB'],
    }),
  ),
  color_depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 48,
      description: 'Bits per pixel: `screen.colorDepth`.',
      examples: [24],
    }),
  ),
  screen_width: pixels('Width of the screen in pixels: `screen.width`.'),
  screen_height: pixels('Height of the screen in pixels: `screen.height`.'),
  time_zone_offset_minutes: Type.Optional(
    Type.Integer({
      minimum: -900,
      maximum: 900,
      description:
        'Minutes between UTC and local time: `getTimezoneOffset()` of a `Date`. Negative east of UTC.',
      examples: [-60],
    }),
  ),
  java_enabled: Type.Optional(
    Type.Boolean({ description: 'Whether Java is enabled: `navigator.javaEnabled()`.', examples: [false] }),
  ),
}

/** For requests from the browser: the server knows the address and the headers. */
export const BrowserInput = Type.Object(browserMembers, {
  additionalProperties: false,
  loggable: false,
  description: "The payer's browser, for 3-D Secure.",
})
export type BrowserInput = Static<typeof BrowserInput>

/** For requests from the merchant's server. */
export const DeviceInput = Type.Object(
  {
    ip: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Fa-f:.]{2,45}$',
        faultDetail: 'must be an IP address',
        description: 'IP address of the payer.',
        examples: ['203.0.113.7'],
      }),
    ),
    user_agent: header('User-Agent'),
    accept_header: header('Accept'),
    ...browserMembers,
  },
  {
    additionalProperties: false,
    loggable: false,
    description:
      "The payer's browser, for 3-D Secure. Send it if the payer is present: banks approve more payments with it. It is not returned, and is deleted when the payment has a result.",
  },
)
export type DeviceInput = Static<typeof DeviceInput>
