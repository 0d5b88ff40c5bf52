// A place with what the Web platform has and nothing of Node's: what edge runtimes agree on (WinterTC), so far as
// the package may use it. Code cannot be made of text there either, as in workers.

import { createContext, runInContext } from 'node:vm'

/** All that the package may lean on. A name that is added here has to be one of every runtime. */
const allowed = {
  ...{ fetch, Request, Response, Headers, URL, URLSearchParams, ReadableStream, Blob },
  ...{
    AbortController,
    AbortSignal,
    DOMException,
    TextDecoder,
    TextEncoder,
    crypto,
    performance,
    atob,
    btoa,
  },
  ...{ setTimeout, clearTimeout, console },
  // Those of the place itself would not be those that the names above answer with.
  ...{ ArrayBuffer, Uint8Array, Error, TypeError, Promise, Date },
}

/** What the expression gives, after the script has run. */
export function runSandboxed(script: string, expression: string): unknown {
  const context = createContext({ ...allowed }, { codeGeneration: { strings: false, wasm: false } })
  runInContext(script, context)
  return runInContext(expression, context)
}
