/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c - see json.h.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define DEPTH_MAX 32

static void blanks(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static int put_utf8(char *to, unsigned long c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 63));
        to[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    to[3] = (char)(0x80 | (c & 63));
    return 4;
}

static int hex4(const char *p, unsigned long *c)
{
    *c = 0;
    for (int i = 0; i < 4; i++) {
        const char d = p[i];
        const int v = d >= '0' && d <= '9'   ? d - '0'
                      : d >= 'a' && d <= 'f' ? d - 'a' + 10
                      : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                             : -1;
        if (v < 0) return 0; /* also at the end of the text */
        *c = *c * 16 + (unsigned long)v;
    }
    return 1;
}

/* The string that starts at its quote, or NULL. */
static char *string(const char **at)
{
    const char *p = *at + 1;
    char *text = cli_alloc(strlen(p) + 1), *to = text;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20) break; /* the end, too */
        if (*p != '\\') {
            *to++ = *p;
            continue;
        }
        static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
        const char *known = *++p != 0 ? strchr(from, *p) : NULL;
        unsigned long c, low;
        if (known != NULL) *to++ = into[known - from];
        else if (*p == 'u' && hex4(p + 1, &c)) {
            p += 4;
            if (c >= 0xd800 && c < 0xdc00) {
                if (p[1] != '\\' || p[2] != 'u' || !hex4(p + 3, &low) || low < 0xdc00 ||
                    low > 0xdfff)
                    break;
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                p += 6;
            }
            to += put_utf8(to, c);
        } else break;
    }
    if (*p == '"') {
        *at = p + 1;
        return text;
    }
    *at = p;
    free(text);
    return NULL;
}

/* Is this a number of JSON's grammar, and how long? strtod takes more. */
static size_t number_length(const char *p)
{
    const char *start = p;
    if (*p == '-') p++;
    if (*p == '0') p++;
    else if (*p >= '1' && *p <= '9') p += strspn(p, "0123456789");
    else return 0;
    if (*p == '.') {
        const size_t n = strspn(p + 1, "0123456789");
        if (n == 0) return 0;
        p += 1 + n;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-') p++;
        const size_t n = strspn(p, "0123456789");
        if (n == 0) return 0;
        p += n;
    }
    return (size_t)(p - start);
}

static json *value(const char **at, int depth)
{
    blanks(at);
    json *j = cli_alloc(sizeof *j);
    const char open = **at;
    if (open == '{' || open == '[') {
        const char close = open == '{' ? '}' : ']';
        json **last = &j->child;
        j->kind = open == '{' ? JSON_OBJECT : JSON_ARRAY;
        ++*at;
        blanks(at);
        if (**at == close) {
            ++*at;
            return j;
        }
        for (int more = depth < DEPTH_MAX; more;) {
            char *name = NULL;
            blanks(at);
            if (open == '{') {
                if (**at != '"' || (name = string(at)) == NULL) break;
                blanks(at);
                if (**at != ':') {
                    free(name);
                    break;
                }
                ++*at;
            }
            json *child = value(at, depth + 1);
            if (child == NULL) {
                free(name);
                break;
            }
            child->name = name;
            *last = child;
            last = &child->next;
            blanks(at);
            if (**at == close) {
                ++*at;
                return j;
            }
            more = **at == ',';
            if (more) ++*at;
        }
        json_free(j);
        return NULL;
    }
    if (open == '"') {
        j->kind = JSON_STRING;
        if ((j->text = string(at)) != NULL) return j;
    } else if (strncmp(*at, "true", 4) == 0) {
        j->kind = JSON_TRUE;
        *at += 4;
        return j;
    } else if (strncmp(*at, "false", 5) == 0) {
        j->kind = JSON_FALSE;
        *at += 5;
        return j;
    } else if (strncmp(*at, "null", 4) == 0) {
        *at += 4;
        return j;
    } else {
        const size_t length = number_length(*at);
        j->kind = JSON_NUMBER;
        j->number = strtod(*at, NULL);
        *at += length;
        if (length != 0) return j;
    }
    json_free(j);
    return NULL;
}

json *json_parse(const char *text, int *line)
{
    const char *at = text;
    json *j = value(&at, 0);
    blanks(&at);
    if (j != NULL && *at != 0) {
        json_free(j);
        j = NULL;
    }
    *line = 1;
    for (; text < at; text++) *line += *text == '\n';
    return j;
}

void json_free(json *j)
{
    while (j != NULL) {
        json *next = j->next;
        json_free(j->child);
        free(j->text);
        free(j->name);
        free(j);
        j = next;
    }
}

const json *json_get(const json *j, const char *name)
{
    if (j == NULL || j->kind != JSON_OBJECT) return NULL;
    const json *c = j->child;
    while (c != NULL && strcmp(c->name, name) != 0) c = c->next;
    return c;
}

const char *json_text(const json *j, const char *name, const char *none)
{
    const json *c = json_get(j, name);
    return c != NULL && c->kind == JSON_STRING ? c->text : none;
}

double json_number(const json *j, const char *name, double none)
{
    const json *c = json_get(j, name);
    return c != NULL && c->kind == JSON_NUMBER ? c->number : none;
}
