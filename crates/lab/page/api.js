// Requests to the engines, and their refusals.

import { perform, request } from "./send.js";

/** A refusal of the lab; its message is for the reader. */
export class Refused extends Error {}

function accepted(told) {
  if (told.refused !== undefined) throw new Refused(told.refused);
  return told;
}

export const call = async (verb, body = {}) => accepted(await request(verb, body));

/** Starts a job, reports its progress, and returns its result. Setting `cancel.now` cancels it. */
export const work = async (verb, body, progress, cancel) => accepted(await perform(verb, body, progress, cancel)).done;
