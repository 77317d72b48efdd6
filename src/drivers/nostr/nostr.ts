export { makeKey, openSigner } from './signer.ts'
export { verify } from './verify.ts'
