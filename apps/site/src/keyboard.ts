import { Action } from '@tromino/strata';

const actionByKey: Readonly<Record<string, Action>> = {
  arrowleft: Action.left,
  arrowright: Action.right,
  arrowup: Action.rotateClockwise,
  x: Action.rotateClockwise,
  z: Action.rotateCounterClockwise,
  arrowdown: Action.softDrop,
  ' ': Action.hardDrop,
  c: Action.hold,
};

/** The action of a key as `KeyboardEvent.key` names it; undefined for keys that are the browser's. */
export function actionOfKey(key: string): Action | undefined {
  return actionByKey[key.toLowerCase()];
}
