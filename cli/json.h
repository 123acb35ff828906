/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h - reads JSON (RFC 8259) into a tree: for the files that this program writes, but strict
 * with any.
 */
#ifndef PLAIT_CLI_JSON_H
#define PLAIT_CLI_JSON_H

#include <stddef.h>

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json {
    json_kind kind;
    double number;
    char *text;         /* of a string */
    char *name;         /* in an object */
    struct json *child; /* first of an array or object */
    struct json *next;
} json;

/* NULL if text is not JSON; *line then tells where. */
json *json_parse(const char *text, int *line);
void json_free(json *j);

/* A member of an object by name; NULL if j is NULL, no object, or has none. */
const json *json_get(const json *j, const char *name);

/* The member's text or number, or what stands for none. */
const char *json_text(const json *j, const char *name, const char *none);
double json_number(const json *j, const char *name, double none);

#endif
