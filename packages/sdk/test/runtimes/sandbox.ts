// A sandbox with the APIs that edge runtimes have in common (WinterTC), as far as the package may use them, and
// without the APIs of Node.js. As in workers, code cannot be created from text.

import { createContext, runInContext } from 'node:vm'

/** All globals that the package may use. A name that is added here has to exist in every runtime. */
const allowed = {
  fetch,
  Request,
  Response,
  Headers,
  URL,
  URLSearchParams,
  ReadableStream,
  Blob,
  AbortController,
  AbortSignal,
  DOMException,
  TextDecoder,
  TextEncoder,
  crypto,
  performance,
  atob,
  btoa,
  setTimeout,
  clearTimeout,
  console,
  // The built-in classes of the sandbox would differ from those of the objects that the functions above
  // return.
  ArrayBuffer,
  Uint8Array,
  Error,
  TypeError,
  Promise,
  Date,
}

/** The value of the expression, after the script has run. */
export function runSandboxed(script: string, expression: string): unknown {
  const context = createContext({ ...allowed }, { codeGeneration: { strings: false, wasm: false } })
  runInContext(script, context)
  return runInContext(expression, context)
}
